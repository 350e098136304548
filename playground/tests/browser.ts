// A browser with the page, and how a person works with it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { packages } from "./packages.ts";
import { type Served, serve } from "./served.ts";

const { chromium } = packages("playwright-core") as typeof import("playwright-core");

const options = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export class Browser {
  /** requests are the addresses that pages have asked for, and complaints what the browser says of them. */
  readonly requests: string[] = [];
  readonly complaints: string[] = [];

  private constructor(
    private readonly served: Served,
    private readonly profile: string,
    readonly context: BrowserContext,
  ) {}

  static async start(colorScheme: "light" | "dark" = "light"): Promise<Browser> {
    const served = await serve();
    const profile = mkdtempSync(path.join(tmpdir(), "sdp-browser-"));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: "/usr/bin/chromium",
      args: options,
      viewport: { width: 1360, height: 800 },
      colorScheme,
    });
    context.setDefaultTimeout(15_000);
    return new Browser(served, profile, context);
  }

  /** open opens the page, and waits until the compiler has looked at the schema. */
  async open(fragment = ""): Promise<Page> {
    const page = await this.context.newPage();
    page.on("request", (request) => this.requests.push(request.url()));
    page.on("console", (message) => this.complaints.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => this.complaints.push(error.message));
    await page.goto(this.served.address + fragment);
    await checked(page);
    return page;
  }

  async stop(): Promise<void> {
    await this.context.close();
    this.served.server.closeAllConnections();
    this.served.server.close();
    rmSync(this.profile, { recursive: true, force: true });
  }
}

async function checked(page: Page): Promise<void> {
  await page.waitForFunction(() => performance.getEntriesByName("sdp-check").length > 0);
}

/** settled waits until the page has done what a change has led to. */
export async function settled(page: Page): Promise<void> {
  await page.waitForTimeout(400);
  await page.waitForFunction(() => !document.documentElement.classList.contains("busy"));
  await page.waitForTimeout(20);
}

export type EditorName = "schema" | "code" | "json" | "hex" | "old";

/** textOf is what an editor shows; of a long text that is the part that can be seen. */
export async function textOf(page: Page, editor: EditorName): Promise<string> {
  return (await page.locator(`#${editor}-editor .cm-line`).allInnerTexts()).join("\n").replaceAll("\u200b", "");
}

/** write replaces the text of an editor, as a person who pastes. */
export async function write(page: Page, editor: EditorName, text: string): Promise<void> {
  await paste(page, editor, text, 1);
  await settled(page);
}

/** paste pastes a text over that of an editor, repeated so many times. */
export async function paste(page: Page, editor: EditorName, unit: string, times: number): Promise<void> {
  await page.locator(`#${editor}-editor .cm-content`).focus();
  await page.keyboard.press("Control+A");
  await page.evaluate(
    ({ host, unit, times }) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", unit.repeat(times));
      const target = document.getElementById(host)!.shadowRoot!.querySelector(".cm-content")!;
      target.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    },
    { host: `${editor}-editor`, unit, times },
  );
}

/** marked is the text that an editor marks as belonging to a place in another. */
export async function marked(page: Page, editor: EditorName): Promise<string> {
  return (await page.locator(`#${editor}-editor .cm-linked`).allInnerTexts()).join(" ");
}
