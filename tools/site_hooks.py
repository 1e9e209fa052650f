"""Hooks of MkDocs for the site. They replace links to files outside the pages and words of rustdoc in code
blocks, and refuse pages that load files from other servers or have signatures of one long line.
"""

import html
import re

FENCE = re.compile(r"^(```\w+),\w+$", re.MULTILINE)
"""The start of a code block with a word of rustdoc, such as `rust,no_run`, which Markdown does not know."""

OUTSIDE = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+[^)#]*)(?:#[^)]*)?\)")

LOADED = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=["']?((?:https?:)?//[^"'\s>]+)""")
SIGNATURE = re.compile(r'<div class="[^"]*doc-signature[^"]*">(.*?)</div>', re.DOTALL)
LONGEST = 100


def loaded_from_elsewhere(page: str) -> list[str]:
    """The addresses of scripts, styles and images that a page loads from other servers."""
    return LOADED.findall(page)


def long_lines(page: str) -> list[str]:
    """The lines of signatures that are too long to read."""
    texts = [html.unescape(re.sub(r"<[^>]+>", "", signature)) for signature in SIGNATURE.findall(page)]
    return [line for text in texts for line in text.splitlines() if len(line) > LONGEST]


def headings(markdown: str) -> list[str]:
    """The headings of a page, without the comments in code blocks."""
    texts = re.split(r"^```.*$", markdown, flags=re.MULTILINE)[::2]
    return [heading for text in texts for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]


def on_page_content(html: str, page, config, files) -> str:
    """Refuses a page that has lost a heading, which a code block took that does not end where it should.

    MkDocs calls this function for each page.
    """
    expected, found = len(headings(page.markdown)), len(re.findall(r"<h[1-6]\b", html))
    if found < expected:
        raise ValueError(f"{page.file.src_uri}: expected {expected} headings, found {found}")
    return html


def on_post_page(output: str, page, config) -> str:
    """Refuses a page that does not fit the site. MkDocs calls this function for each page."""
    if found := loaded_from_elsewhere(output):
        raise ValueError(f"expected a page without files of other servers, found {', '.join(found)}")
    if found := long_lines(output):
        raise ValueError(f"expected signatures that ruff has formatted, found {found[0]}")
    return output


def on_page_markdown(markdown: str, page, config, files) -> str:
    """Replaces links and words of rustdoc on a page. MkDocs calls this function for each page."""

    def named(link: re.Match[str]) -> str:
        text, path = link.groups()
        if files.get_file_from_path(_from_docs(page.file.src_uri, path)):
            return link.group()
        name = path.lstrip("./")
        return f"`{name}`" if text == name else f"{text} (`{name}`)"

    return OUTSIDE.sub(named, FENCE.sub(r"\1", markdown))


def _from_docs(page: str, link: str) -> str:
    folders = page.split("/")[:-1]
    while link.startswith("../"):
        folders, link = folders[:-1], link[3:]
    return "/".join([*folders, link])
