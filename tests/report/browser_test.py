#!/usr/bin/env python3
"""Opens a report from disk in Chromium and does what a reader does: looks, clicks, filters.

browser_test.py SAMPLE_REPORT [SCREENSHOTS]: the program that makes the report, and a folder for pictures.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from webdriver import Browser, missing

SAMPLE = None
PICTURES = None


# Where a point of the plot is in the window.
PLACE = """
const view = cambium.paretoView, box = document.querySelector('#pareto canvas').getBoundingClientRect();
const point = view.data(arguments[0]).find(p => arguments[1] === null || p.name === arguments[1]);
const origin = view.origin(), padding = view.padding();
return {name: point.name, page: point.page, x: box.x + padding.left + origin[0] + view.scale('x')(point.x),
        y: box.y + padding.top + origin[1] + view.scale('y')(point.y)};
"""


class ReportInBrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="cambium.report.")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.site = pathlib.Path(cls.folder.name) / "site"
        subprocess.run([SAMPLE, f"{cls.folder.name}/study.db", str(cls.site), "400"], check=True)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.open_index()
        self.browser.console()

    def tearDown(self):
        self.assertEqual([m for m in self.browser.console() if m["level"] in ("SEVERE", "WARNING")], [])

    def open_index(self):
        self.browser.open((self.site / "index.html").as_uri())
        self.browser.wait("document.querySelector('#pareto').dataset.ready === 'yes'")
        self.browser.wait("document.querySelectorAll('#table tbody tr').length > 0")

    def place(self, data, name=None):
        self.browser.run("document.querySelector('#pareto').scrollIntoView({behavior: 'instant', block: 'center'})")
        return self.browser.run(PLACE, data, name)

    def test_every_page_loads_without_a_word_on_the_console(self):
        pages = sorted(self.site.glob("c/*.html"))
        self.assertGreaterEqual(len(pages), 200)
        for page in pages[:12]:
            self.browser.open(page.as_uri())
            self.assertTrue(self.browser.run("return document.querySelector('h1').textContent.length > 0"))
            if "showCurves" in page.read_text():
                self.browser.wait("document.querySelector('#training svg') !== null")
            broken = "return [...document.images].filter(i => i.complete && !i.naturalWidth).length"
            self.assertEqual(self.browser.run(broken), 0)

    def test_the_plots_are_there(self):
        self.assertGreater(self.browser.run("return document.querySelector('#pareto canvas').width"), 300)
        self.assertEqual(self.browser.run("return cambium.paretoView.data('base').length"), 1)
        self.assertGreater(self.browser.run("return cambium.paretoView.data('onFront').length"), 2)
        self.assertGreater(self.browser.run("return cambium.paretoView.data('others').length"), 100)
        self.assertEqual(self.browser.run("return document.querySelectorAll('#progress-plots svg').length"), 5)
        self.assertGreater(self.browser.run("return document.querySelectorAll('#training svg path').length"), 10)
        painted = """
            const c = document.querySelector('#pareto canvas');
            return new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).size"""
        self.assertGreater(self.browser.run(painted), 20)

    def test_the_front_has_bars_of_its_spread(self):
        bars = self.browser.run("return cambium.paretoView.data('bars').map(b => [b.low, b.y, b.high])")
        self.assertGreater(len(bars), 2)
        self.assertTrue(any(low < y < high for low, y, high in bars))

    def test_estimates_are_marked(self):
        estimates = self.browser.run("return cambium.paretoView.data('others').filter(p => p.estimate).length")
        self.assertGreater(estimates, 5)
        self.assertIn("estimated", self.browser.run("return document.querySelector('#pareto-note').textContent"))

    def test_brief_trainings_are_marked_in_the_picture_and_in_the_table(self):
        brief = self.browser.run("return cambium.paretoView.data('others').filter(p => p.brief).length")
        self.assertGreater(brief, 5)
        self.assertIn("trained briefly", self.browser.run("return document.querySelector('#pareto-note').textContent"))
        rows = """return [...document.querySelectorAll('#front-table tbody tr')]
            .map(r => [r.querySelector('code').textContent, r.cells[1].textContent])"""
        trained = dict(self.browser.run(rows))
        front = self.browser.run("return cambium.paretoView.data('onFront').map(p => [p.name.slice(0, 8), p.brief])")
        self.assertGreater(len(front), 2)
        for name, is_brief in front:
            self.assertIn(name, trained, "the picture and the table show the same front")
            self.assertEqual(is_brief, "brief" in trained[name])

    def test_a_click_on_a_point_leads_to_its_candidate(self):
        point = self.place("onFront")
        self.browser.click_at(point["x"], point["y"])
        self.browser.wait(f"location.pathname.endsWith('/c/{point['name']}.html')")
        self.assertIn(point["name"][:8], self.browser.run("return document.querySelector('h1').textContent"))

    def test_a_click_on_a_point_without_a_page_finds_it_in_the_table(self):
        # Near the left edge points lie on each other: take the one farthest to the right.
        name = self.browser.run('''
            const points = cambium.paretoView.data('others').filter(p => !p.page);
            return points.reduce((a, b) => a.x > b.x ? a : b).name''')
        point = self.place("others", name)
        self.browser.click_at(point["x"], point["y"])
        self.browser.wait("document.querySelectorAll('#table tbody tr').length === 1")
        self.assertEqual(self.rows(), [name])

    def test_a_click_on_the_original_leads_to_it(self):
        point = self.place("base")
        self.browser.click_at(point["x"], point["y"])
        self.browser.wait(f"location.pathname.endsWith('/c/{point['name']}.html')")

    def test_other_axes_show_other_points(self):
        choose = """
            const select = document.querySelector('#axis-x');
            select.value = [...select.options].find(o => o.text === 'Parameters').value;
            select.dispatchEvent(new Event('change'))"""
        before = self.browser.run("return cambium.paretoView.data('base')[0].x")
        self.browser.run(choose)
        self.assertNotEqual(self.browser.run("return cambium.paretoView.data('base')[0].x"), before)

    def test_dragging_looks_closer_and_a_button_goes_back(self):
        point = self.place("base")
        whole = self.browser.run("return cambium.paretoView.scale('x').domain()")
        self.browser.drag(point["x"] - 150, point["y"] - 20, point["x"] + 20, point["y"] + 80)
        self.browser.wait("!document.querySelector('#zoom-out').hidden")
        part = self.browser.run("return cambium.paretoView.scale('x').domain()")
        self.assertLess(part[1] - part[0], whole[1] - whole[0])
        self.browser.run("document.querySelector('#zoom-out').click()")
        self.assertEqual(self.browser.run("return cambium.paretoView.scale('x').domain()"), whole)

    def test_a_study_in_which_nothing_happened_yet_has_a_page(self):
        subprocess.run([SAMPLE, f"{self.folder.name}/empty.db", f"{self.folder.name}/empty", "-1"], check=True)
        self.browser.open((pathlib.Path(self.folder.name) / "empty/index.html").as_uri())
        self.browser.wait("document.querySelector('#page-text').textContent === 'no candidate matches'")
        self.assertIn("No candidate has been trained yet", self.browser.run("return document.body.textContent"))

    def test_pages_fit_a_narrow_window(self):
        self.browser.resize(500, 900)
        try:
            for page in [self.site / "index.html", *sorted(self.site.glob("c/*.html"))[:3]]:
                self.browser.open(page.as_uri())
                self.browser.wait("document.readyState === 'complete'")
                wide = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
                self.assertLessEqual(self.browser.run(wide), 0, page)
                broken = """return [...document.querySelectorAll('table.dense td:first-child')]
                    .filter(cell => cell.clientWidth < 4 * cell.textContent.length).length"""
                self.assertEqual(self.browser.run(broken), 0, f"{page}: names are broken into letters")
        finally:
            self.browser.resize(1280, 900)

    def rows(self):
        return self.browser.run("return [...document.querySelectorAll('#table tbody tr')].map(r => r.dataset.name)")

    def test_the_table_filters_sorts_and_turns_pages(self):
        self.assertEqual(len(self.rows()), 50)
        first = self.rows()
        best = self.browser.run("return document.querySelector('#table tbody tr').cells[3].textContent")
        self.assertGreater(float(best.split()[0]), 90, "the most accurate is shown first")
        self.browser.run("document.querySelector('#page-on').click()")
        self.assertFalse(set(first) & set(self.rows()))
        self.browser.type_into("#filter", "shifted bottleneck")
        self.browser.wait("document.querySelector('#page-text').textContent === 'no candidate matches'")
        self.browser.type_into("#filter", "bottleneck")
        self.browser.wait("document.querySelectorAll('#table tbody tr').length > 0")
        titles = self.browser.run("return [...document.querySelectorAll('#table tbody td:first-child')].map(c => c.textContent)")
        self.assertTrue(titles and all("bottleneck" in title for title in titles))
        self.browser.run("[...document.querySelectorAll('#table th button')].find(b => b.textContent === 'Latency').click()")
        latencies = self.browser.run("""
            const at = [...document.querySelectorAll('#table th')].findIndex(h => h.textContent === 'Latency');
            return [...document.querySelectorAll('#table tbody tr')].map(r => r.cells[at].textContent)""")
        values = [float(text.split()[0]) * {"ms": 1e-3, "µs": 1e-6}[text.split()[1]] for text in latencies if text != "–"]
        self.assertEqual(values, sorted(values))
        self.assertTrue(all(text == "–" for text in latencies[len(values):]))

    def test_titles_do_not_run(self):
        hostile = self.browser.run("return document.querySelector('#table').textContent.length > 0 && window.hostile")
        self.assertFalse(hostile)
        self.browser.type_into("#filter", "window.hostile")
        self.browser.wait("document.querySelectorAll('#table tbody tr').length === 1")
        self.assertIn("<script>", self.browser.run("return document.querySelector('#table tbody td').textContent"))
        self.browser.open(self.browser.run("return document.querySelector('#table tbody a').href"))
        self.browser.wait("document.querySelector('#training svg') !== null")
        self.assertIn("<script>", self.browser.run("return document.querySelector('.lede').textContent"))
        self.assertFalse(self.browser.run("return window.hostile === 1"))


def take_pictures(site):
    for dark in (False, True):
        with Browser(1280, 1000, dark) as browser:
            name = "dark" if dark else "light"
            browser.open((site / "index.html").as_uri())
            browser.wait("document.querySelectorAll('#table tbody tr').length > 0")
            height = browser.run("return document.documentElement.scrollHeight")
            browser.resize(1280, height + 100)
            browser.wait("document.querySelector('#pareto').dataset.ready === 'yes'")
            browser.screenshot(f"{PICTURES}/index-{name}.png")
            front = browser.run("return cambium.paretoView.data('onFront').map(p => p.name)")
            drawn = [n for n in front if (site / f"c/{n}.svg").exists()] or front
            browser.resize(1280, 1000)
            browser.open((site / f"c/{drawn[0]}.html").as_uri())
            browser.wait("document.querySelector('#training svg') !== null")
            browser.resize(1280, browser.run("return document.documentElement.scrollHeight") + 100)
            browser.screenshot(f"{PICTURES}/candidate-{name}.png")


if __name__ == "__main__":
    if (program := missing()) is not None:
        print(f"skipped: {program} is not installed (Debian packages chromium and chromium-driver)")
        sys.exit(77)
    SAMPLE = sys.argv[1]
    if len(sys.argv) > 2:
        PICTURES = sys.argv[2]
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([SAMPLE, f"{folder}/study.db", f"{folder}/site", "400"], check=True)
            take_pictures(pathlib.Path(folder) / "site")
    else:
        unittest.main(argv=sys.argv[:1])
