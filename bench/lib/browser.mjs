import { chromium } from "playwright-core";
import { Failure } from "../../scripts/terminal.mjs";

/** The Chromium of the tests, with one page. */
export async function openBrowser() {
  const { findChromium } = await import("../../packages/inspector/test/chromium.ts");
  const found = findChromium();
  if (found === undefined) throw new Failure("There is no Chromium; PROFFER_CHROMIUM may name one.");
  const args = ["--no-sandbox", "--disable-dev-shm-usage"];
  const browser = await chromium.launch({ executablePath: found.path, args, env: { ...process.env, ...found.env } });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
  context.setDefaultTimeout(300_000);
  return { page: await context.newPage(), close: () => browser.close() };
}

/** Milliseconds of the clock that pages have, too. */
export function now() {
  return performance.timeOrigin + performance.now();
}

/** Returns the milliseconds from the begin of an act, or from the time that it returns, until a page has drawn a text. */
export async function timeToPaint(page, selector, text, act) {
  const painted = whenPainted(page, selector, text);
  // The page looks for the text by now.
  await page.evaluate("undefined");
  const began = now();
  const given = await act();
  return (await painted) - (given ?? began);
}

/** Returns the time of the frame in which an element has a text. */
function whenPainted(page, selector, text) {
  return page.evaluate(
    ([selector, text]) =>
      new Promise((resolve) => {
        const isThere = () => [...document.querySelectorAll(selector)].some((each) => each.textContent.includes(text));
        const look = () => {
          if (!isThere()) return;
          observer.disconnect();
          requestAnimationFrame(() => {
            // The first task after a frame: the frame was drawn.
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => resolve(performance.timeOrigin + performance.now());
            port2.postMessage(undefined);
          });
        };
        const observer = new MutationObserver(look);
        observer.observe(document, { childList: true, subtree: true, characterData: true });
        look();
      }),
    [selector, text],
  );
}
