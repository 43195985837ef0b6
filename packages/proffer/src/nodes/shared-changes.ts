import type { ResourceChange } from "../catalog/changes.ts";
import type { ServerState } from "../server/server.ts";
import { nodeName } from "./node-name.ts";
import type { Bus, BusListener } from "./ports.ts";

/** The topic of changes. All nodes share it: each of them knows what its own clients listen to. */
const TOPIC = "changes";

/** A message with more entries or characters says that anything may have changed: each watched URI is notified once. */
const MAX_ENTRIES = 1000;
const MAX_LENGTH = 65_536;

/** Milliseconds before the next attempt to publish: doubled with each failure. */
const FIRST_DELAY = 100;
const LONGEST_DELAY = 5000;

const NOT_PUBLISHED = "A change could not be sent to the other nodes. It will be sent when the bus works again";

/** Any resource may have changed. */
const EVERYTHING: Message = { uris: [], prefixes: [""] };

interface Message {
  readonly uris: readonly string[];
  readonly prefixes: readonly string[];
}

/**
 * The messages about changes: those that were published (one for all changes of an event-loop turn), the attempts that
 * failed and were repeated, the messages of other nodes, and the gaps in the bus.
 */
export type ChangeMetrics = Readonly<Record<"published" | "failed" | "heard" | "gaps", number>>;

/**
 * Exchanges changes with the other nodes of a server. The bus may lose messages: after a gap, and after a message that
 * cannot be read, all listeners of this node are notified. A change that could not be published is kept until it is: the
 * other nodes would not know that they missed one.
 */
export class SharedChanges implements BusListener {
  readonly #counts = { published: 0, failed: 0, heard: 0, gaps: 0 };
  readonly #server: ServerState;
  readonly #bus: Bus;
  /** The beginning of this node's own messages. */
  readonly #mark: string;
  #uris = new Set<string>();
  #prefixes = new Set<string>();
  #length = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #publishing: Promise<void> | undefined;
  #failures = 0;
  #unsubscribe: (() => void) | undefined;

  constructor(server: ServerState, bus: Bus) {
    this.#server = server;
    this.#bus = bus;
    this.#mark = `${nodeName(server)} `;
  }

  metrics(): ChangeMetrics {
    return { ...this.#counts };
  }

  join(): void {
    this.#unsubscribe ??= this.#bus.subscribe(TOPIC, this);
  }

  /** Publishes the changes that wait, and stops listening. */
  async leave(): Promise<void> {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    await this.#publishing;
    // One more attempt. If it fails, the next one would come after this node has left.
    await this.#publish();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Publishes a change at the end of this event-loop turn, with all others. */
  changed(changed: ResourceChange): void {
    const [entries, text] = typeof changed === "string" ? [this.#uris, changed] : [this.#prefixes, changed.prefix];
    // Code without types may pass anything.
    if (typeof text !== "string" || entries.has(text) || this.#prefixes.has("")) return;
    entries.add(text);
    this.#length += text.length;
    if (this.#uris.size + this.#prefixes.size > MAX_ENTRIES || this.#length > MAX_LENGTH) this.#put(EVERYTHING);
    if (this.#publishing === undefined) this.#timer ??= setTimeout(() => this.#flush(), 0);
  }

  heard(text: string): void {
    if (text.startsWith(this.#mark)) return;
    this.#counts.heard++;
    this.#notify(parse(text.slice(text.indexOf(" ") + 1)) ?? EVERYTHING);
  }

  missed(): void {
    this.#counts.gaps++;
    this.#notify(EVERYTHING);
  }

  #notify({ uris, prefixes }: Message): void {
    const { changes } = this.#server.front ?? this.#server;
    for (const uri of uris) changes.updated(uri);
    for (const prefix of prefixes) changes.updatedUnder(prefix);
  }

  #put({ uris, prefixes }: Message): void {
    this.#uris = new Set(uris);
    this.#prefixes = new Set(prefixes);
    this.#length = 0;
  }

  get #isWaiting(): boolean {
    return this.#uris.size + this.#prefixes.size > 0;
  }

  #flush(): void {
    this.#timer = undefined;
    void this.#publish();
  }

  async #publish(): Promise<void> {
    if (!this.#isWaiting) return;
    const message: Message = { uris: [...this.#uris], prefixes: [...this.#prefixes] };
    this.#put({ uris: [], prefixes: [] });
    this.#publishing = this.#send(message);
    await this.#publishing;
    this.#publishing = undefined;
    if (!this.#isWaiting) return;
    const delay = this.#failures === 0 ? 0 : Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (this.#failures - 1));
    this.#timer ??= setTimeout(() => this.#flush(), delay);
    // In Node, an attempt to publish must not keep the process alive.
    if (this.#failures > 0) (this.#timer as { unref?: () => void }).unref?.();
  }

  /** Sends a message. If that fails, its changes wait again. */
  async #send(message: Message): Promise<void> {
    try {
      await this.#bus.publish(TOPIC, this.#mark + JSON.stringify(message));
      this.#counts.published++;
      this.#failures = 0;
    } catch (error) {
      this.#counts.failed++;
      if (this.#failures++ === 0) this.#server.log({ level: "warning", message: NOT_PUBLISHED, error });
      const uris = [...message.uris, ...this.#uris];
      const prefixes = [...message.prefixes, ...this.#prefixes];
      this.#put(uris.length + prefixes.length > MAX_ENTRIES ? EVERYTHING : { uris, prefixes });
    }
  }
}

/** Returns undefined for anything but a message: another version of Proffer may have sent it. */
function parse(json: string): Message | undefined {
  try {
    const { uris, prefixes } = JSON.parse(json) as Partial<Message>;
    return isTexts(uris) && isTexts(prefixes) ? { uris, prefixes } : undefined;
  } catch {
    return undefined;
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
