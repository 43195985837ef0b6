import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The server of a page that has nothing to do with the inspector and attacks it. */
export interface Stranger {
  readonly port: number;
  close(): void;
}

/**
 * Every way in which a web page can send a request to another origin or look at its content. Each reports the text that the
 * page could read, or "nothing". `attack(origin, secret)` tries all of them and resolves with the reports by their names.
 */
const SCRIPT = `
const settled = (element, source) => new Promise((resolve) => {
  element.onload = () => resolve("loaded");
  element.onerror = () => resolve("nothing");
  Object.assign(element, source);
  document.body.append(element);
});
const read = (request) => request.then(
  async (response) => response.type === "opaque" ? "nothing" : "read " + response.status + " " + await response.text(),
  () => "nothing",
);
/** Whatever a frame or window shows, a stranger must not get hold of its document. */
const look = (target) => {
  try {
    return target.document.documentElement.outerHTML;
  } catch {
    return "nothing";
  }
};
function post(origin, target, enctype, name, value) {
  const form = Object.assign(document.createElement("form"), { method: "POST", action: origin, target, enctype });
  form.append(Object.assign(document.createElement("input"), { name, value }));
  document.body.append(form);
  form.submit();
}
async function framed(name, fill) {
  const frame = Object.assign(document.createElement("iframe"), { name });
  document.body.append(frame);
  const loaded = new Promise((resolve) => {
    frame.onload = resolve;
  });
  fill(frame);
  await loaded;
  return look(frame.contentWindow);
}
async function attack(origin, secret) {
  const json = { authorization: "Bearer " + secret, "content-type": "application/json" };
  const plain = { method: "POST", body: "{}", headers: { "content-type": "text/plain" } };
  const secretly = { method: "POST", body: "{}", headers: json };
  const api = origin + "/api/clear";
  const page = origin + "/#k=" + secret;
  return {
    "fetch of the page": await read(fetch(origin)),
    "fetch of the page, no-cors": await read(fetch(origin, { mode: "no-cors" })),
    "fetch of the script with cookies": await read(fetch(origin + "/page.js", { credentials: "include" })),
    "fetch of the API": await read(fetch(api, plain)),
    "fetch of the API, no-cors": await read(fetch(api, { ...plain, mode: "no-cors" })),
    "fetch of the API with the secret": await read(fetch(api, secretly)),
    "fetch of the API with the secret, no-cors": await read(fetch(api, { ...secretly, mode: "no-cors" })),
    "fetch of the events with the secret": await read(fetch(origin + "/api/events", secretly)),
    "XMLHttpRequest": await new Promise((resolve) => {
      const request = new XMLHttpRequest();
      request.onload = () => resolve("read " + request.responseText);
      request.onerror = () => resolve("nothing");
      request.open("POST", api);
      for (const name in json) request.setRequestHeader(name, json[name]);
      request.send("{}");
    }),
    "EventSource": await new Promise((resolve) => {
      const source = new EventSource(origin + "/api/events");
      source.onopen = source.onmessage = () => resolve("opened");
      source.onerror = () => resolve("nothing");
    }),
    "WebSocket": await new Promise((resolve) => {
      const socket = new WebSocket(origin.replace("http", "ws") + "/api/events");
      socket.onopen = () => resolve("opened");
      socket.onerror = () => resolve("nothing");
    }),
    "beacon": navigator.sendBeacon(api, "{}") && "nothing",
    "script": await settled(document.createElement("script"), { src: origin + "/page.js" }),
    "module": await import(origin + "/page.js").then(() => "loaded", () => "nothing"),
    "style sheet": await settled(document.createElement("link"), { rel: "stylesheet", href: origin + "/page.css" }),
    "picture": await settled(document.createElement("img"), { src: origin + "/page.css" }),
    "worker": await new Promise((resolve) => {
      try {
        new Worker(origin + "/page.js").onerror = () => resolve("nothing");
      } catch {
        resolve("nothing");
      }
    }),
    "frame": await framed("framed", (frame) => { frame.src = page; }),
    "form": await framed("posted", (frame) =>
      post(api, frame.name, "text/plain", '{"a":"', '"}')),
    "form with an address": await framed("sent", (frame) =>
      post(api + "?authorization=Bearer%20" + secret, frame.name, "application/x-www-form-urlencoded", "k", secret)),
  };
}
`;

/** Serves the page of a stranger on all names of this machine. */
export async function startStranger(): Promise<Stranger> {
  const page = `<!doctype html><title>Stranger</title><link rel="icon" href="data:,"><script>${SCRIPT}</script><body>`;
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html", "referrer-policy": "unsafe-url" });
    response.end(page);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
