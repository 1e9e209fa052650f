"""Each recipe of the cookbook prints what its comments say; those of frameworks are in tests/frameworks."""

import pytest

from cookbook import recipes
from example_programs import people

ALL = recipes()


def test_each_of_thirty_recipes_prints_something():
    assert len(ALL) == 30
    assert len({recipe.title for recipe in ALL}) == 30
    assert [recipe.title for recipe in ALL if not recipe.expected()] == []
    assert [recipe.title for recipe in ALL if recipe.code.count("print(") != len(recipe.expected())] == []
    assert [recipe.title for recipe in ALL if recipe.needs_framework] == ["Keras", "PyTorch", "JAX"]


@pytest.mark.parametrize("recipe", [one for one in ALL if not one.needs_framework], ids=lambda one: one.title)
def test_a_recipe_prints_what_it_says(tmp_path, monkeypatch, recipe):
    (tmp_path / "data").mkdir()
    people.write(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    assert recipe.printed() == recipe.expected()
