"""Bundling of the page's scripts and styles."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from focus_companion.web.assets import ENTRY_POINTS, Assets
from focus_companion.web.bundle import BundleError, bundle

MODULES = {
    "main": 'import { two } from "./b.js";\nimport { one } from "./a.js";\nawait two(one);\n',
    "b": 'import { one } from "./a.js";\nexport async function two(x) { return x; }\nexport class C {}\n',
    "a": "const hidden = 0;\nexport const one = 1 + hidden;\n",
}


def test_an_imported_module_comes_first_and_only_once() -> None:
    made = bundle(MODULES, "main")
    assert re.findall(r"^const (\$\w+) =", made, re.MULTILINE) == ["$a", "$b"]
    assert "return { two, C };" in made
    end = "const { two } = $b;\nconst { one } = $a;\nawait two(one);\nexport { $a, $b };\n"
    assert made.endswith(end)
    assert made.count("export") == 1 and "import" not in made


DEFERRED_MODULES = {
    "late": 'import { C } from "./b.js";\nimport { f } from "./d.js";\nexport const tools = { C, f };\n',
    "d": """// Of the module.

/** Says
 * what. */
import { one } from "./a.js";
export function f() {
  // why
  return "// no" + one; // end
}
""",
}


def test_a_deferred_script_uses_the_modules_of_the_first() -> None:
    made = bundle(MODULES | DEFERRED_MODULES, "late", "main")
    assert made.startswith('import { $a, $b } from "./main.js";\nconst $d = ')
    assert made.endswith("const tools = { C, f };\nexport { tools };\n")
    assert "hidden" not in made


def test_comments_and_indentation_are_removed() -> None:
    made = bundle(MODULES | DEFERRED_MODULES, "late", "main")
    assert 'function f() {\nreturn "// no" + one; // end\n}\n' in made
    assert "why" not in made and "Says" not in made


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"a": 'import { two } from "./b.js";\n'}, "ring"),
        ({"a": 'import { x } from "./z.js";\n'}, "z.js"),
        ({"a": "export default 3;\n"}, "not known"),
        ({"a": 'import * as x from "./b.js";\n'}, "not known"),
        ({"a": 'import { one as x } from "./b.js";\n'}, "not known"),
        ({"a": "export const { one } = f();\n"}, "not known"),
        ({"main": "export const one = 1;\n"}, "begins"),
        ({"a": "export const one = `a\n  b`;\n"}, "several lines"),
    ],
)
def test_unsupported_imports_are_refused(changed: dict[str, str], says: str) -> None:
    with pytest.raises(BundleError, match=says):
        bundle(MODULES | changed, "main")


def test_the_page_requests_one_script(client: FlaskClient) -> None:
    page = client.get("/").text
    version = Assets().version
    assert re.findall(r'<script type="module" src="([^"]+)"', page) == [f"/assets/{version}/main.js"]
    for entry in ENTRY_POINTS:
        script = client.get(f"/assets/{version}/{entry}.js")
        assert script.status_code == 200 and script.mimetype == "text/javascript"


def test_the_state_is_embedded_safely_in_the_page(table, client: FlaskClient) -> None:
    table.start()
    table.play("b6-b7")
    found = re.search(
        r'<script type="application/json" id="first-state">(.*?)</script>', client.get("/").text
    )
    assert found and '"last_move": "b6-b7"' in found[1]
    assert "<" not in found[1]


def test_a_style_sheet_contains_its_imports(client: FlaskClient) -> None:
    sheet = client.get(f"/assets/{Assets().version}/style.css").text
    assert "@import" not in sheet and "/*" not in sheet
    base, last = sheet.index("color-scheme:light"), sheet.index(".cameras form input")
    assert base < sheet.index(".player{") < sheet.index(".ring.wrong{") < last


def test_files_are_served_as_they_were_at_the_start(tmp_path: Path) -> None:
    """Each file is made when it is first requested, but all belong to one version."""
    scripts = tmp_path / "js"
    scripts.mkdir()
    for entry in ENTRY_POINTS:
        (scripts / f"{entry}.js").write_text(f"start('{entry}');\n")
    (tmp_path / "part.css").write_text("b { c: d; }\n")
    (tmp_path / "style.css").write_text('@import "part.css";\na { b: c; }\n')
    assets = Assets(tmp_path)
    (scripts / "main.js").write_text("start('another version');\n")
    (tmp_path / "part.css").write_text("another version {}\n")
    assert assets["main.js"].plain.startswith(b"start('main');")
    assert assets["style.css"].plain == b"b{c:d}\na{b:c}\n"
    assert "main.js" in assets and "missing.js" not in assets
    assert len(list(assets)) == len(assets)
