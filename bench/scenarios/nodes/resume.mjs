import http from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { headersOf, openSession } from "../../lib/http-client.mjs";
import { median } from "../../lib/statistics.mjs";

const CALL = {
  jsonrpc: "2.0",
  id: 7,
  method: "tools/call",
  params: { name: "events", arguments: {}, _meta: { progressToken: 1 } },
};

/** A client loses the stream of a call, and resumes it on another node: the time until the first missed event. */
export async function resume({ client, start }) {
  const [first, second] = [await start("redis"), await start("redis")];
  const [times, trips] = [[], []];
  for (let round = 0; round < 40; round++) {
    const session = await openSession(first.port);
    const stream = await firstEvent(first.port, "POST", headersOf("legacy", CALL, session), JSON.stringify(CALL));
    const last = /^id: ?(.+)$/m.exec(stream)[1];
    // The second event and the result are written meanwhile.
    await pause(400);
    const begin = performance.now();
    await client.get("bench");
    const middle = performance.now();
    const headers = { ...headersOf("legacy", CALL, session), "last-event-id": last };
    await firstEvent(second.port, "GET", headers);
    if (round < 10) continue;
    trips.push(middle - begin);
    times.push(performance.now() - middle);
  }
  await first.stop();
  await second.stop();
  const [time, trip] = [median(times), median(trips)];
  const most = 3 * trip + 5;
  return [["resume on another node", `3 R + 5 ms = ${most.toFixed(1)} ms`, `${time.toFixed(1)} ms`, time <= most]];
}

/** Resolves with the text up to the first event with data, and disconnects. */
function firstEvent(port, method, headers, body) {
  return new Promise((resolve, reject) => {
    const request = http.request({ port, host: "127.0.0.1", path: "/mcp", method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
        if (!/^data: ?\{/m.test(text) || !text.endsWith("\n\n")) return;
        resolve(text);
        request.destroy();
      });
      response.on("end", () => reject(new Error(`no event: ${response.statusCode} ${text}`)));
      response.on("error", () => {});
    });
    request.on("error", reject);
    request.end(body);
  });
}
