import { RemoteError } from "proffer/testing";
import type { Offer } from "../protocol/offer.ts";
import { NO_RESPONSE, type ServerCode } from "../support/host.ts";
import { hasHandshake, isObject } from "../support/values.ts";
import type { Connected } from "./connected.ts";
import { readOffer, withPlace } from "./offer.ts";

const CHANGES = /^notifications\/(?:tools|prompts|resources)\/list_changed$/;
const KINDS = ["tools", "prompts", "resources"] as const;

/** Is told that a server has ended a subscription, which it does when it stops. If it is still there, `again` is called. */
type StreamEnded = (connected: Connected, again: () => void) => void;

/** What a server offers on each revision that somebody looked at, read again when its lists change. */
export class Offers {
  readonly #use: (revision: string) => Promise<Connected>;
  readonly #changed: (offer: Offer) => void;
  readonly #streamEnded: StreamEnded;
  readonly #code: ServerCode | undefined;
  readonly #offers = new Map<string, Offer>();
  readonly #reading = new Map<string, Promise<Offer>>();
  /** The clients that subscribed to changes of lists. */
  readonly #subscribed = new WeakSet<Connected>();
  /** The revisions that will be read again in the next turn: an edit changes several lists at once. */
  readonly #waiting = new Set<string>();
  #version = 0;

  constructor(
    use: (revision: string) => Promise<Connected>,
    changed: (offer: Offer) => void,
    streamEnded: StreamEnded,
    code?: ServerCode,
  ) {
    this.#use = use;
    this.#changed = changed;
    this.#streamEnded = streamEnded;
    this.#code = code;
  }

  /** The newest version of all offers. */
  get version(): number {
    return this.#version;
  }

  /** All offers that are known. */
  known(): Iterable<Offer> {
    return this.#offers.values();
  }

  find(revision: string): Offer | undefined {
    return this.#offers.get(revision);
  }

  /** Returns the offer of a revision, and reads it if it is not known. */
  get(revision: string): Promise<Offer> {
    const known = this.#offers.get(revision);
    return known === undefined ? this.read(revision) : Promise.resolve(known);
  }

  /** Reads an offer again; a change during a reading causes another one. */
  read(revision: string): Promise<Offer> {
    const earlier = this.#reading.get(revision);
    const reading = (earlier ?? Promise.resolve()).catch(() => {}).then(() => this.#read(revision));
    this.#reading.set(revision, reading);
    const forget = () => {
      if (this.#reading.get(revision) === reading) this.#reading.delete(revision);
    };
    reading.then(forget, forget);
    return reading;
  }

  /** Finds the places of the items again, after an edit that no list shows. */
  relocate(): void {
    for (const [revision, offer] of this.#offers) {
      const items = offer.items.map((item) => withPlace(item, this.#code));
      const next = { ...offer, version: ++this.#version, items, files: this.#code?.files() ?? [] };
      this.#offers.set(revision, next);
      this.#changed(next);
    }
  }

  /** Looks at a notification of the server. */
  notified({ revision }: Connected, method: string): void {
    if (!CHANGES.test(method) || this.#waiting.has(revision)) return;
    this.#waiting.add(revision);
    setImmediate(() => {
      this.#waiting.delete(revision);
      this.read(revision).catch(() => {});
    });
  }

  async #read(revision: string): Promise<Offer> {
    const connected = await this.#use(revision);
    // Before the lists are read, so that no change is missed.
    this.#subscribe(connected);
    const offer = await readOffer(connected, ++this.#version, this.#code);
    this.#offers.set(revision, offer);
    this.#changed(offer);
    return offer;
  }

  /** Older revisions notify every client. A server that refuses has no changes to notify of. */
  #subscribe(connected: Connected): void {
    if (hasHandshake(connected.revision) || this.#subscribed.has(connected)) return;
    this.#subscribed.add(connected);
    const { capabilities } = connected;
    const lists = KINDS.filter((kind) => isObject(capabilities[kind]) && capabilities[kind].listChanged === true);
    if (lists.length === 0) return;
    const notifications = Object.fromEntries(lists.map((kind) => [`${kind}ListChanged`, true]));
    const again = () => {
      this.#subscribed.delete(connected);
      this.#streamEnded(connected, () => this.#subscribe(connected));
    };
    connected.client.requestOnce("subscriptions/listen", { notifications }).then(again, (error) => {
      if (error instanceof RemoteError && error.code === NO_RESPONSE) again();
    });
  }
}
