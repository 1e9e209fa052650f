"""The recipes of the cookbook that need a framework print what their comments say."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "python"))
from cookbook import recipes
from example_programs import people

OF_FRAMEWORKS = [recipe for recipe in recipes() if recipe.needs_framework]


@pytest.mark.parametrize("recipe", OF_FRAMEWORKS, ids=lambda recipe: recipe.title)
def test_a_recipe_with_a_framework_prints_what_it_says(tmp_path, monkeypatch, recipe):
    (tmp_path / "data").mkdir()
    people.write(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    assert recipe.printed() == recipe.expected()
