import { toText, type Wiretap } from "proffer/derived";
import type { ClientObserver } from "./client-message.ts";
import { tapExchange } from "./http-client.ts";
import { Lanes } from "./lanes.ts";

/** Creates the wiretap that tells an observer of the messages of real clients. An error of it does not reach them. */
export function observeClients(observer: ClientObserver): Wiretap {
  const lanes = new Lanes({
    onClientMessage: (message) => contain(() => observer.onClientMessage(message)),
    onClientClosed: (conn) => contain(() => observer.onClientClosed?.(conn)),
  });
  return {
    exchange: (exchange) => tapExchange(exchange, lanes),
    stdio() {
      const lane = lanes.create("stdio");
      return {
        received: (text) => lanes.received(lane, text),
        sent: (wire) => lanes.sent(lane, toText(wire)),
        closed: () => lanes.closed(lane),
      };
    },
  };
}

function contain(work: () => void): void {
  try {
    work();
  } catch (error) {
    console.error("The inspector could not record a message:", error);
  }
}
