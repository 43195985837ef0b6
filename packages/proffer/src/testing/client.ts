import { Client } from "../client/client.ts";
import { ConnectionError } from "../client/errors.ts";
import type { OpenLink } from "../client/link.ts";
import type { ClientOptions, Notification } from "../client/options.ts";
import type { Start } from "../client/session.ts";
import { Notifications, Transcript } from "./messages.ts";

/** A request whose server crashed before it answered. */
export class LostRequest extends ConnectionError {
  override readonly name = "LostRequest";

  constructor() {
    super("ended", "The server crashed before it answered the request.");
  }
}

/** Options for a client of tests. */
export interface TestOptions extends ClientOptions {
  /** False keeps neither the transcript nor the notifications, for a connection that stays open for long. Default: true. */
  readonly keepsMessages?: boolean;
}

/** The description of a client whose options have none: it can be asked everything. */
const DEFAULTS = {
  info: { name: "proffer-testing", version: "1" },
  capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
};
const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };

/** A client for tests: it keeps all messages, and can let the server crash. Create it with `connect`. */
export class TestClient extends Client {
  /** All messages of both sides. */
  readonly transcript: Transcript;
  /** Tests should be fast. */
  override readonly firstPoll: number = 1;
  readonly #notifications: Notifications;
  readonly #link: () => OpenLink;

  constructor(start: Start, { keepsMessages, ...options }: TestOptions) {
    const transcript = new Transcript(keepsMessages);
    const notifications = new Notifications(keepsMessages);
    let opened: OpenLink | undefined;
    super(
      {
        ...start,
        link(receive, events) {
          const inner = start.link((text) => {
            transcript.add("server", text);
            receive(text);
          }, events);
          const send: OpenLink["send"] = (text, message) => {
            transcript.add("client", text);
            inner.send(text, message);
          };
          opened = {
            send,
            close: () => inner.close(),
            agreed: (revision) => inner.agreed?.(revision),
            cancel: (id) => inner.cancel?.(id) ?? false,
            ...(inner.crash && { crash: () => inner.crash?.() }),
          };
          return opened;
        },
      },
      {
        timeout: 0,
        cache: false,
        capabilities: { ...DEFAULTS.capabilities, ...(start.handshake ? {} : TASKS) },
        info: DEFAULTS.info,
        ...options,
        onNotification(notification: Notification) {
          options.onNotification?.(notification);
          notifications.add(notification);
        },
      },
    );
    this.transcript = transcript;
    this.#notifications = notifications;
    this.#link = () => opened as OpenLink;
  }

  /** Sends a raw text, for messages that no client should send. */
  send(text: string): void {
    this.#link().send(text);
  }

  /** All notifications of the server, oldest first. */
  get notifications(): readonly Notification[] {
    return this.#notifications.received;
  }

  /** Returns the first notification that passes the test and that no earlier call returned, or waits for it. */
  waitFor(method: string, test: (notification: Notification) => boolean = () => true): Promise<Notification> {
    return this.#notifications.waitFor(method, test);
  }

  /**
   * Lets the process of the server die without a warning, and another one take over: requests without an answer reject,
   * and tasks continue from their last recorded step. In the process of the test, the runs of tasks are left behind.
   */
  crash(): Promise<void> {
    this.recovered = this.#crash();
    return this.recovered;
  }

  async #crash(): Promise<void> {
    const link = this.#link();
    if (link.crash === undefined) throw new Error("The link of this client has no function crash().");
    this.fail(new LostRequest());
    await link.crash();
    if (this.hasHandshake) await this.open();
  }
}
