// The pages in the browsers that MXP_BROWSERS names, with a host that the test starts. It makes the
// pictures of the README, where WEB_SCREENSHOTS names their folder:
// `npm run build && MXP_BROWSERS=chromium node --test tests/browser.test.mjs`.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { start } from "../../../conformance/runners/typescript/browser/page.mjs";

const axe = readFileSync(new URL("../../../conformance/runners/typescript/browser/node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const web = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "web-"));
const screenshots = process.env.WEB_SCREENSHOTS;
/** Pictures for who changes the pages. */
const pictures = fileURLToPath(new URL("../../../target/web-screenshots", import.meta.url));
let host;
let place;

/** Runs the host, at a port of its choice or at its earlier one. */
async function serve(at = "127.0.0.1:0") {
  host = spawn(join(folder, "web"), ["-at", at, "-input", "../registry/lv2-62.json", "-pages", "page"], { cwd: web, stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: host.stdout })) {
    place = /http:\/\/(.*)\//.exec(line)[1];
    return;
  }
}

before(() => execFileSync("go", ["build", "-o", join(folder, "web"), "."], { cwd: web }));
after(() => rmSync(folder, { recursive: true }));

for (const name of (process.env.MXP_BROWSERS ?? "").split(" ").filter(Boolean)) {
  describe(name, { timeout: 120_000 }, () => {
    let browser;
    let page;
    const complaints = [];

    /** Opens a page of the host. */
    async function open(viewport = { width: 1200, height: 760 }) {
      const tab = await browser.running.newPage();
      tab.on("pageerror", (error) => complaints.push(String(error)));
      tab.on("console", (message) => /policy|CSP/i.test(message.text()) && complaints.push(message.text()));
      await tab.setViewport(viewport);
      await tab.goto(`http://${place}/`);
      await tab.waitForSelector("#plugins tr");
      return tab;
    }

    const text = (of, selector) => of.$eval(selector, (found) => found.textContent);
    /** Clicks, also in a page that another lies over, where no mouse does. */
    const press = (of, selector) => of.$eval(selector, (found) => found.click());
    const choose = async (tab, plugin) => {
      await tab.evaluate((wanted) => [...document.querySelectorAll("tbody button")].find((one) => one.textContent === wanted).click(), plugin);
    };
    /** The slider of a parameter, in a page or a frame. */
    const slider = async (of, parameter) => {
      await of.waitForFunction((wanted) => [...document.querySelectorAll(".control label")].some((one) => one.textContent === wanted), {}, parameter);
      const id = await of.evaluate((wanted) => [...document.querySelectorAll(".control label")].find((one) => one.textContent === wanted).htmlFor, parameter);
      return {
        element: await of.$(`#${id}`),
        /** Acts as a hand does, also in a page that is not in front; gives the text. */
        set: (at) => of.$eval(`#${id}`, (one, to) => {
          one.valueAsNumber = to;
          one.dispatchEvent(new Event("input"));
          one.dispatchEvent(new Event("change"));
          return one.parentElement.querySelector("output").value;
        }, at),
        value: () => of.$eval(`#${id}`, (one) => one.parentElement.querySelector("output").value),
        becomes: (wanted) => of.waitForFunction((at, value) => document.getElementById(at).parentElement.querySelector("output").value === value, { polling: 50, timeout: 10_000 }, id, wanted),
        changes: (from) => of.waitForFunction((at, value) => document.getElementById(at).parentElement.querySelector("output").value !== value, { polling: 50, timeout: 10_000 }, id, from),
      };
    };

    before(async () => {
      await serve();
      browser = await start(name);
      page = await open();
    });
    after(async () => {
      await browser.close();
      host.kill();
    });

    test("the table lists the host's plug-ins, is filtered and sorted", async () => {
      assert.equal((await page.$$("#plugins tr")).length, 62);
      assert.equal(await text(page, "#status"), "Connected");
      await page.type("#filter", "calf comp");
      assert.deepEqual(await page.$$eval("#plugins th", (all) => all.map((one) => one.textContent)), ["Calf Compressor"]);
      await page.$eval("#filter", (input) => {
        input.value = "";
        input.dispatchEvent(new Event("input"));
      });
      await page.click('[data-key="parameters"]');
      await page.click('[data-key="parameters"]');
      assert.match(await text(page, "#plugins tr"), /Stereo x8.*267$/);
      await page.click('[data-key="name"]');
    });

    test("by the keyboard alone a plug-in is chosen, and a parameter is moved at the host", async () => {
      await page.focus("#filter");
      await page.keyboard.type("calf");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => document.querySelector(".panel h2")?.textContent === "Calf Compressor");
      const here = await slider(page, "Input");
      await here.becomes("1.00");
      const other = await open(); // of the same host: what it shows has been at the host
      await choose(other, "Calf Compressor");
      const there = await slider(other, "Input");
      await there.becomes("1.00");
      for (let i = 0; i < 40; i++) { // as Tab reaches it
        await page.keyboard.press("Tab");
        if (await here.element.evaluate((one) => one === document.activeElement)) {
          break;
        }
      }
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      const moved = await here.value();
      assert.notEqual(moved, "1.00");
      await there.becomes(moved);
      await other.close();
      await page.$eval("#filter", (input) => {
        input.value = "";
        input.dispatchEvent(new Event("input"));
      });
    });

    test("the host's automation moves the sliders, but not the one that a hand is on", async () => {
      const held = await slider(page, "Input");
      const moves = await slider(page, "Threshold");
      await press(page, ".panel .head input");
      await moves.changes(await moves.value());
      const box = await held.element.boundingBox();
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.down();
      const value = await held.value();
      const before = await moves.value();
      await moves.changes(before);
      assert.equal(await held.value(), value);
      await page.mouse.up();
      await held.changes(value);
      await press(page, ".panel .head input");
    });

    test("in a frame, the panel moves the same parameters through a MessagePort, and reaches nothing else", async () => {
      const other = await open();
      await choose(other, "Calf Compressor");
      const there = await slider(other, "Threshold");
      await press(page, "#framed");
      const element = await page.waitForSelector("iframe");
      const frame = await element.contentFrame();
      const here = await slider(frame, "Threshold");
      const least = await here.set(0);
      await there.becomes(least);
      const most = await there.set(1000);
      assert.notEqual(least, most);
      await here.becomes(most);
      assert.equal(await frame.evaluate(() => origin), "null");
      const reached = await frame.evaluate((at) => new Promise((resolve) => {
        const socket = new WebSocket(`ws://${at}/mxp`, "mxp.1");
        socket.onopen = () => resolve("open");
        socket.onerror = () => resolve("refused");
      }).catch((error) => error.name), place);
      assert.notEqual(reached, "open");
      await other.close();
      await press(page, "#framed");
    });

    const picture = async (of, file) => {
      mkdirSync(pictures, { recursive: true });
      await of.screenshot({ path: join(pictures, file) });
    };

    /** How a panel looks whose host is there, or is gone. */
    const look = (of) => of.evaluate(() => ({
      says: document.querySelector(".panel .lost").textContent,
      opacity: Number(getComputedStyle(document.querySelector(".panel .controls")).opacity),
      moves: [...document.querySelectorAll(".panel :is(input, button)")].some((one) => one.matches(":enabled")),
    }));
    const there = { says: "", opacity: 1, moves: true };
    const gone = { says: "These are the last values of a host that is gone.", opacity: 0.45, moves: false };
    const looks = (of, wanted) => of.waitForFunction((lost) => document.querySelector(".panel")?.hasAttribute("data-lost") === lost, { polling: 50, timeout: 20_000 }, wanted === gone);

    test("a host that is killed and started again is found again, and its sliders rest until then", async () => {
      const here = await slider(page, "Input");
      await here.element.focus();
      await page.keyboard.press("End");
      const moved = await here.value();
      assert.notEqual(moved, "1.00");
      assert.deepEqual(await look(page), there);
      host.kill("SIGKILL");
      await page.waitForFunction(() => document.querySelector("#status").hasAttribute("data-lost"), { polling: 50 });
      assert.deepEqual(await look(page), gone);
      await page.keyboard.press("Home");
      assert.equal(await here.value(), moved);
      await picture(page, "gone.png");
      await serve(place);
      await page.waitForFunction(() => document.querySelector("#status").textContent === "Connected", { polling: 50 });
      await here.becomes("1.00"); // the new host's value
      assert.deepEqual(await look(page), there);
      assert.equal(await here.element.evaluate((one) => one === document.activeElement), true);
      await page.keyboard.press("End");
      assert.equal(await here.value(), moved);
    });

    test("a panel in a frame rests while the host is gone, too", async () => {
      await press(page, "#framed");
      const frame = await (await page.waitForSelector("iframe")).contentFrame();
      const here = await slider(frame, "Input");
      await here.set(1000);
      host.kill("SIGKILL");
      await looks(frame, gone);
      assert.deepEqual(await look(frame), gone);
      await serve(place);
      await looks(frame, there);
      await here.becomes("1.00");
      assert.deepEqual(await look(frame), there);
      await press(page, "#framed");
    });

    test("on a telephone nothing is wider than the page, and each slider can be moved by a finger", async () => {
      const phone = await open({ width: 390, height: 844, hasTouch: name === "chromium", isMobile: name === "chromium" });
      await choose(phone, "Calf Compressor");
      await slider(phone, "Input");
      const first = await phone.$eval(".panel input[type=range]", (one) => one.getBoundingClientRect().bottom / innerHeight);
      assert.ok(first <= 1, `the first slider is ${first} screens down`);
      for (const framed of [false, true]) {
        if (framed) {
          await press(phone, "#framed");
        }
        const wide = await phone.evaluate(() => ["html", ".rows", "#place"].map((one) => document.querySelector(one)).filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.id || one.tagName));
        assert.deepEqual(wide, []);
        const within = framed ? await (await phone.waitForSelector("iframe")).contentFrame() : phone;
        const parameter = await slider(within, "Threshold");
        assert.equal(await within.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
        const sliders = await within.$$eval(".panel input[type=range]", (all) => all.map((one) => {
          one.scrollIntoView({ block: "center" });
          const { x, y, width, height } = one.getBoundingClientRect();
          return { width, height, isReached: document.elementFromPoint(x + width / 2, y + height / 2) === one };
        }));
        assert.ok(sliders.length > 5 && sliders.every((one) => one.width >= 250 && one.height >= 30 && one.isReached), JSON.stringify(sliders));
        await parameter.element.evaluate((one) => one.scrollIntoView({ block: "center" }));
        await picture(phone, framed ? "narrow-frame.png" : "narrow-panel.png");
        const before = await parameter.value();
        const box = await parameter.element.boundingBox();
        const at = [box.x + box.width * (framed ? 0.2 : 0.9), box.y + box.height / 2];
        await (name === "chromium" ? phone.touchscreen.tap(...at) : phone.mouse.click(...at));
        await parameter.changes(before);
      }
      await phone.evaluate(() => scrollTo(0, 0));
      await picture(phone, "narrow.png");
      await phone.close();
    });

    test("axe finds nothing that keeps people from using it, in light and dark", async () => {
      await page.evaluate(axe);
      for (const value of ["light", "dark"]) {
        if (name === "chromium") { // Firefox is not told what to prefer
          await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
        }
        const { violations, passes } = await page.evaluate(() => window.axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"] }));
        assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes[0].html]), []);
        assert(passes.length > 10);
      }
    });

    test("it is looked at in light and dark", { skip: screenshots === undefined || name !== "chromium" }, async () => {
      mkdirSync(screenshots, { recursive: true });
      await press(page, ".panel .head input");
      for (const [scheme, framed] of [["light", false], ["dark", true]]) {
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
        if (framed) {
          await press(page, "#framed");
        }
        await new Promise((resolve) => setTimeout(resolve, 1500));
        await page.screenshot({ path: join(screenshots, `${scheme}.png`) });
      }
    });

    test("no page has tried what its policy forbids, but for the one that was told to", () =>
      assert.deepEqual(complaints.filter((one) => !one.includes("/mxp")), []));
  });
}
