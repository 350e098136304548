// The site and pages of `sdp doc` in Chromium: they load nothing but their own files, run
// nothing that schemas say, find what is searched, and can be read by everybody.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

const root = path.resolve(import.meta.dirname, "../../..");
const packages = createRequire(path.join(root, "playground/package.json"));
const { chromium } = packages("playwright-core");
const axe = readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8");
const screenshots = path.join(root, "target/site-screenshots");
const kinds = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".png": "image/png", ".json": "application/json", ".woff2": "font/woff2" };

let browser;
let server;
let address;
let temporary;

// serve answers with the files of a folder for each first name of a path.
const serve = (folders) =>
  createServer((request, response) => {
    const [, name, ...rest] = decodeURIComponent(new URL(request.url, "http://a").pathname).split("/");
    try {
      let file = path.join(folders[name], ...rest);
      if (statSync(file).isDirectory()) file = path.join(file, "index.html");
      response.writeHead(200, { "content-type": kinds[path.extname(file)] ?? "application/octet-stream" });
      response.end(readFileSync(file));
    } catch {
      response.writeHead(404);
      response.end();
    }
  });

const hostile = `//! <script>window.ran = 1</script> <img src=x onerror="window.ran = 1">
package evil;

/// <script>window.ran = 1</script> <svg/onload=window.ran=1> [x](javascript:window.ran=1)
/// ![x](javascript:window.ran=1) <iframe srcdoc="<script>parent.ran = 1</script>"></iframe>
/// ![y](https://evil.example/pixel.png) <link rel=stylesheet href=https://evil.example/a.css>
///
/// <style>body { display: none }</style>
@id(1)
message Trap {
    /// </td></table><script>window.ran = 1</script> a | b
    @deprecated("<script>window.ran = 1</script>")
    name: str,
    /// How **loud** it is, see \`Level\`.
    level: Level,
}

/// <details open ontoggle=window.ran=1> \`</code><script>window.ran = 1</script>\`
@closed
enum Level: u8 { Low = 0, High = 1 }

/// "><script>window.ran = 1</script>
service Door { call open(Trap) -> Trap = 1; }
`;

before(async () => {
  temporary = mkdtempSync(path.join(tmpdir(), "sdp-site-"));
  mkdirSync(screenshots, { recursive: true });
  writeFileSync(path.join(temporary, "evil.sdp"), hostile);
  const made = spawnSync("go", ["run", "./cmd/sdp", "doc", path.join(temporary, "evil.sdp"), "--out", `html=${path.join(temporary, "pages")}`], { cwd: root, encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  server = serve({ site: path.join(root, "target/site"), evil: path.join(temporary, "pages") });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}`;
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
});

after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
  rmSync(temporary, { recursive: true, force: true });
});

// opened is a page, its requests to the network, and the browser's complaints.
const opened = async (url, options = {}) => {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...options });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const requests = [];
  const complaints = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(url);
  return { page, requests, complaints, close: () => context.close() };
};

const elsewhere = (requests) => requests.filter((url) => !url.startsWith(`${address}/`) && !url.startsWith("data:"));

const violations = async (page) => {
  const found = await page.evaluate(`(() => { ${axe}; return axe.run(document, { preload: false }); })()`);
  return found.violations.map((v) => `${v.id}: ${v.nodes[0].html}`);
};

for (const colorScheme of ["light", "dark"]) {
  test(`pages of hostile schemas are inert and readable, ${colorScheme}`, async () => {
    for (const name of ["index", "evil", "evil.Trap", "evil.Level", "evil.Door"]) {
      const { page, requests, complaints, close } = await opened(`${address}/evil/${name}.html`, { colorScheme });
      await page.waitForTimeout(100);
      assert.equal(await page.evaluate("window.ran"), undefined, name);
      assert.deepEqual(complaints.filter((text) => !text.includes("favicon")), [], name);
      assert.deepEqual(elsewhere(requests), []);
      assert.deepEqual(await violations(page), [], name);
      await page.screenshot({ path: path.join(screenshots, `${name}-${colorScheme}.png`), fullPage: true });
      await close();
    }
  });
}

test("the search of a schema's pages finds fields by keys alone", async () => {
  const { page, close } = await opened(`${address}/evil/index.html`);
  await page.keyboard.press("/");
  await page.keyboard.type("trap level");
  await page.waitForSelector("#results li[data-href]");
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/evil.Trap.html#field-level");
  assert.equal(await page.evaluate("window.ran"), undefined);
  await close();
});

test("a schema's pages work from a disk", async () => {
  const { page, complaints, close } = await opened(`file://${path.join(temporary, "pages/evil.Trap.html")}`);
  await page.keyboard.press("/");
  await page.keyboard.type("door");
  await page.waitForSelector("#results li[data-href]");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/evil.Door.html");
  assert.deepEqual(complaints, []);
  await close();
});

for (const [query, title] of [["credit", /MXP|services/i], ["view", /./], ["varint", /./]]) {
  test(`the site's search finds ${query}`, async () => {
    const { page, close } = await opened(`${address}/site/index.html?search=${query}`);
    await page.waitForSelector("#mdbook-searchresults li");
    const found = await page.textContent("#mdbook-searchresults");
    assert.match(found, new RegExp(query, "i"));
    assert.match(found, title);
    await page.screenshot({ path: path.join(screenshots, `site-search-${query}.png`) });
    await close();
  });
}

test("a server that leaves out hidden and temporary files serves all of it", () => {
  for (const folder of [path.join(root, "target/site"), path.join(root, "target/site/schemas"), path.join(temporary, "pages")]) {
    assert.ok(existsSync(path.join(folder, ".nojekyll")), folder);
    const names = readdirSync(folder, { recursive: true }).map((file) => path.basename(file));
    assert.deepEqual(names.filter((name) => /^[~_.]|^#|~$/.test(name) && name !== ".nojekyll"), [], folder);
  }
});

// The site is made with the playground where that was made before.
test("the playground works at its place in the site", async (t) => {
  const schemas = readFileSync(path.join(root, "target/site/schemas.html"), "utf8");
  const there = existsSync(path.join(root, "target/site/try/index.html"));
  assert.equal(schemas.includes('href="try/index.html"'), there);
  if (!there) {
    t.diagnostic("target/playground was not there");
    return;
  }
  const { page, requests, complaints, close } = await opened(`${address}/site/schemas.html`);
  await page.click('a[href="try/index.html"]');
  await page.waitForFunction(() => document.getElementById("summary")?.textContent === "No problems", undefined, { timeout: 60_000 });
  assert.deepEqual(elsewhere(requests), []);
  assert.deepEqual(complaints, []);
  await close();
});

// Parts that mdBook's own menu and blocks of code lack, and that tables of the documents may have
// a column without a title.
const known = ["aria-allowed-attr", "aria-prohibited-attr", "region", "scrollable-region-focusable", "empty-table-header"];

for (const options of [{ colorScheme: "light" }, { colorScheme: "dark" }, { colorScheme: "light", viewport: { width: 390, height: 844 } }]) {
  const label = `${options.colorScheme}${options.viewport ? "-narrow" : ""}`;
  test(`chapters are shown and load nothing from elsewhere, ${label}`, async () => {
    for (const name of ["index", "docs/start/go", "docs/tls", "docs/json", "docs/language", "docs/performance", "spec/wire"]) {
      const { page, requests, close } = await opened(`${address}/site/${name}.html`, options);
      await page.waitForLoadState("networkidle");
      assert.deepEqual(elsewhere(requests), []);
      await page.screenshot({ path: path.join(screenshots, `site-${name.replaceAll("/", "-")}-${label}.png`) });
      const wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
      assert.ok(wide <= 0, `${name} is ${wide} pixels too wide`);
      const found = (await violations(page)).filter((text) => !known.includes(text.split(":")[0]));
      assert.deepEqual(found, [], name);
      await close();
    }
  });
}

// shown are the names of the tabs that are chosen, and of the panels that are seen.
const shown = (page) =>
  page.evaluate(`({
    tabs: [...document.querySelectorAll('[role="tab"][aria-selected="true"]')].map((tab) => tab.textContent),
    panels: [...document.querySelectorAll(".language")].filter((panel) => panel.checkVisibility()).map((panel) => panel.dataset.language),
  })`);

test("a language is chosen once, by mouse, keys or a link", async () => {
  const { page, complaints, close } = await opened(`${address}/site/docs/tls.html`);
  assert.deepEqual(await shown(page), { tabs: ["Go"], panels: ["Go"] });
  await page.click('[role="tab"] >> text=Rust');
  assert.deepEqual(await shown(page), { tabs: ["Rust"], panels: ["Rust"] });
  await page.keyboard.press("ArrowRight");
  assert.deepEqual(await shown(page), { tabs: ["C++"], panels: ["C++"] });
  assert.equal(new URL(page.url()).pathname, "/site/docs/tls.html");

  await page.goto(`${address}/site/index.html`); // remembers it
  assert.deepEqual((await shown(page)).panels, ["C++"]);
  await page.goto(`${address}/site/docs/tls.html#rust`);
  assert.deepEqual((await shown(page)).panels, ["Rust"]);
  await page.evaluate('location.hash = "#go"');
  await page.waitForFunction('document.querySelector(".language:not([hidden])").dataset.language === "Go"');
  assert.deepEqual(complaints.filter((text) => !text.includes("favicon")), []);
  await close();
});

test("without JavaScript all languages are shown", async () => {
  const { page, close } = await opened(`${address}/site/docs/tls.html`, { javaScriptEnabled: false });
  assert.equal(await page.locator(".language").count(), 3);
  for (const panel of await page.locator(".language").all()) assert.ok(await panel.isVisible());
  await close();
});

test("the first page leads to each language's start, and each start to the others", async () => {
  const { page, close } = await opened(`${address}/site/index.html`);
  const names = await page.locator(".begin a").allTextContents();
  assert.deepEqual(names, ["Go", "Rust", "C++", "TypeScript", "Install", "All pages"]);
  await page.click('.begin a >> text="Rust"');
  assert.equal(await page.locator('.begin [aria-current="page"]').textContent(), "Rust");
  await page.click('.begin a >> text="C++"');
  await page.waitForURL("**/docs/start/cpp.html");
  await close();
});
