// Serves a folder of modules to a page of a browser: chromium or firefox.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import puppeteer from "puppeteer-core";

const programs = { chromium: ["chrome", "/usr/bin/chromium"], firefox: ["firefox", "/usr/bin/firefox-esr"] };
const quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** Starts a browser, with further arguments, or preferences of Firefox's; `close` ends it. */
export async function start(name, { further = [], preferences = {} } = {}) {
  const [browser, executablePath] = programs[name] ?? [];
  if (browser === undefined) {
    console.error(`name a browser: ${Object.keys(programs).join(" or ")}`);
    process.exit(2);
  }
  const userDataDir = mkdtempSync(join(tmpdir(), "page-"));
  const running = await puppeteer.launch({ browser, executablePath, userDataDir, headless: true, protocolTimeout: 60_000, extraPrefsFirefox: preferences, args: [...(browser === "chrome" ? quiet : []), ...further] });
  return { running, close: async () => {
    await running.close();
    rmSync(userDataDir, { recursive: true, force: true });
  } };
}

/**
 * Serves a page by a policy, at a free port. The page runs a module of the folder, or a script of its own
 * that may import them.
 */
export async function serve(modules, { policy, script, module = "own.js" }) {
  const page = `<!doctype html><title></title><meta http-equiv="Content-Security-Policy" content="${policy}"><script type="module" src="${module}"></script>`;
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://page").pathname);
    const file = join(modules, path);
    const text = path === "/favicon.ico" ? "" : path === "/" ? page : path === "/own.js" ? script : extname(path) === ".js" && existsSync(file) ? readFileSync(file) : undefined;
    response.writeHead(text === undefined ? 404 : 200, { "content-type": path === "/" ? "text/html" : "text/javascript" });
    response.end(text);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: server.address().port, close: () => server.close() };
}

/** Starts a browser with a tab whose `visit` loads a served page, with a query behind its address. */
export async function open(name, modules, page) {
  const { running, close } = await start(name);
  const served = await serve(modules, page);
  const tab = await running.newPage();
  tab.on("pageerror", (error) => console.error(error));
  tab.visit = (behind = "") => tab.goto(`http://127.0.0.1:${served.port}/${behind}`);
  return { tab, close: async () => {
    await close();
    served.close();
  } };
}
