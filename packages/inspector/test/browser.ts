import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "vitest";
import { type Chromium, findChromium } from "./chromium.ts";

const found = lookForChromium();

/** Tests in a browser: skipped with a warning where there is none, failed on CI. */
export const describeInBrowser = found === undefined ? describe.skip : describe;

const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

interface Watched {
  readonly page: Page;
  readonly problems: string[];
}

type OpenOptions = BrowserContextOptions & { readonly beside?: Page; readonly isFirstVisit?: boolean };

const UNFOLDED = `try { localStorage["proffer-inspector-preferences"] ??= '{ "side": true }' } catch { /* an opaque page */ }`;

export interface Pages {
  /**
   * Opens an address in a new browser context, or in that of another page of the test. The person of the tests has
   * unfolded the side pane before, unless it is their first visit.
   */
  open(url: string, options?: OpenOptions): Promise<Page>;
  /** Allows the messages of the console that match: a test of a refusal causes them. */
  expectProblem(pattern: RegExp): void;
}

/**
 * Starts one browser for the tests of a file. After each test, it fails if a page wrote an error to its console, threw,
 * requested anything from another origin, or broke its content security policy.
 * @param args - additional arguments of the browser.
 */
export function usePages(args: readonly string[] = []): Pages {
  let browser: Browser;
  let watched: Watched[] = [];
  let expected: RegExp[] = [];

  beforeAll(async () => {
    browser = await openBrowser(args);
  });
  afterAll(() => browser?.close());
  beforeEach(({ onTestFinished }) => {
    // Not in afterEach: a hook that fails keeps those after it from running, which end the processes of a test.
    onTestFinished(() => {
      const problems = watched.flatMap(({ problems }) => problems);
      const allowed = expected;
      watched = [];
      expected = [];
      expect(problems.filter((problem) => !allowed.some((pattern) => pattern.test(problem)))).toEqual([]);
    });
  });
  afterEach(async () => {
    for (const { page } of watched) await page.context().close();
  });

  return {
    async open(url, { beside, isFirstVisit = false, ...options } = {}) {
      const context =
        beside?.context() ??
        (await browser.newContext({ viewport: DESKTOP, reducedMotion: "reduce", colorScheme: "light", ...options }));
      // Ends a test that hangs before its own limit does, because this error names the element. A busy machine is not so slow.
      context.setDefaultTimeout(Number(process.env.PROFFER_BROWSER_TIMEOUT ?? 100_000));
      if (beside === undefined && !isFirstVisit) await context.addInitScript(UNFOLDED);
      const page = await context.newPage();
      watched.push(await watch(page, new URL(url).origin));
      await page.goto(url);
      return page;
    },
    expectProblem(pattern) {
      expected.push(pattern);
    },
  };
}

async function watch(page: Page, origin: string): Promise<Watched> {
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`exception: ${error.stack}`));
  page.on("request", (request) => {
    const { protocol, origin: target } = new URL(request.url());
    if (protocol.startsWith("http") && target !== origin) problems.push(`foreign request: ${request.url()}`);
  });
  await page.exposeFunction("reportViolation", (text: string) => problems.push(`policy: ${text}`));
  await page.addInitScript(`addEventListener("securitypolicyviolation", (event) =>
    reportViolation(event.violatedDirective + " " + event.blockedURI + " " + event.sample))`);
  return { page, problems };
}

async function openBrowser(more: readonly string[]): Promise<Browser> {
  const { path, env } = found as Chromium;
  // Containers have neither the privileges for the sandbox nor much shared memory. Only pages of these tests are opened.
  const args = ["--no-sandbox", "--disable-dev-shm-usage", ...more];
  return chromium.launch({ executablePath: path, args, env: { ...process.env, ...env } as Record<string, string> });
}

function lookForChromium(): Chromium | undefined {
  const chromium = findChromium();
  if (chromium !== undefined) return chromium;
  const message = "The inspector is NOT tested in a browser: there is no Chromium; PROFFER_CHROMIUM may name one.";
  if (process.env.CI || process.env.PROFFER_REQUIRE_BROWSER) throw new Error(message);
  console.warn(message);
  return undefined;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The accessibility violations of a page, or a part of it, according to axe, with the elements. */
export async function accessibilityViolations(page: Page, part = "html"): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async (part) => {
    const { violations } = await (globalThis as unknown as AxeWindow).axe.run(part);
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
    );
  }, part);
}

interface AxeWindow {
  readonly axe: {
    run(part: string): Promise<{
      readonly violations: readonly {
        readonly id: string;
        readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
      }[];
    }>;
  };
}
