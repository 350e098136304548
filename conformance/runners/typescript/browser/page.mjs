// Serves a folder of modules to a page of a browser: chromium or firefox.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import puppeteer from "puppeteer-core";

const programs = { chromium: ["chrome", "/usr/bin/chromium"], firefox: ["firefox", "/usr/bin/firefox-esr"] };
const quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/**
 * Starts a browser with a tab whose `visit` loads the page, by a policy, with what is behind its address. The
 * page runs a module of the folder, or a script of its own that may import them.
 */
export async function open(name, modules, { policy, script, module = "own.js" }) {
  const [browser, executablePath] = programs[name] ?? [];
  if (browser === undefined) {
    console.error(`name a browser: ${Object.keys(programs).join(" or ")}`);
    process.exit(2);
  }
  const page = `<!doctype html><title></title><meta http-equiv="Content-Security-Policy" content="${policy}"><script type="module" src="${module}"></script>`;
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://page").pathname);
    const file = join(modules, path);
    const text = path === "/favicon.ico" ? "" : path === "/" ? page : path === "/own.js" ? script : extname(path) === ".js" && existsSync(file) ? readFileSync(file) : undefined;
    response.writeHead(text === undefined ? 404 : 200, { "content-type": path === "/" ? "text/html" : "text/javascript" });
    response.end(text);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const userDataDir = mkdtempSync(join(tmpdir(), "page-"));
  const running = await puppeteer.launch({ browser, executablePath, userDataDir, headless: true, args: browser === "chrome" ? quiet : [] });
  const tab = await running.newPage();
  tab.on("pageerror", (error) => console.error(error));
  tab.visit = (behind = "") => tab.goto(`http://127.0.0.1:${server.address().port}/${behind}`);
  return { tab, close: async () => {
    await running.close();
    server.close();
    rmSync(userDataDir, { recursive: true, force: true });
  } };
}
