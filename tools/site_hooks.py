"""Hooks of MkDocs for the site: replace links to files outside the pages by the names of the files."""

import re

OUTSIDE = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+[^)#]*)(?:#[^)]*)?\)")


def on_page_markdown(markdown: str, page, config, files) -> str:
    """Replaces links on a page. MkDocs calls this function for each page."""

    def named(link: re.Match[str]) -> str:
        text, path = link.groups()
        if files.get_file_from_path(_from_docs(page.file.src_uri, path)):
            return link.group()
        name = path.lstrip("./")
        return f"`{name}`" if text == name else f"{text} (`{name}`)"

    return OUTSIDE.sub(named, markdown)


def _from_docs(page: str, link: str) -> str:
    folders = page.split("/")[:-1]
    while link.startswith("../"):
        folders, link = folders[:-1], link[3:]
    return "/".join([*folders, link])
