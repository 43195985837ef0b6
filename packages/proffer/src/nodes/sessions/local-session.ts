import type { Principal } from "../../calls/client.ts";
import { coalesce } from "../../support/async.ts";
import type { DisconnectListener, HttpExchange } from "../../transports/http/exchange.ts";
import { HttpError, STREAM_HEADERS } from "../../transports/http/http-error.ts";
import type { SessionCalls } from "../../transports/http/legacy-session.ts";
import { type ClusterSession, LocalQuestions } from "./cluster-session.ts";
import type { ClusterSessions } from "./cluster-sessions.ts";
import { ClusterStream } from "./cluster-stream.ts";
import { Delivery, type EventPlace, Follower } from "./delivery.ts";
import { followerIsThere } from "./session-store.ts";
import { StandaloneStream } from "./standalone-stream.ts";

/**
 * The part of a session that is on this node: its calls in flight, their questions, and its streams. It exists only while
 * there is any, and knows nothing that other nodes must know.
 */
export class LocalSession implements SessionCalls {
  readonly id: string;
  readonly sessions: ClusterSessions;
  /** The same caller as the opener, with the permission of the last request on this node. */
  principal: Principal | undefined;
  readonly questions: LocalQuestions;
  readonly #streams = new Map<string, ClusterStream>();
  readonly #followers = new Map<string, Follower>();
  #standalone: StandaloneStream | undefined;
  /** The calls in flight, and the requests that are opening or resuming a stream. */
  #calls = 0;
  /** Counts the streams that this node took over, so that a record that was read before is recognized. */
  #version = 0;

  constructor(sessions: ClusterSessions, id: string, principal: Principal | undefined) {
    this.sessions = sessions;
    this.id = id;
    this.principal = principal;
    this.questions = new LocalQuestions(id, sessions);
  }

  /** Nothing of the session is on this node. */
  get isIdle(): boolean {
    return (
      this.#calls + this.#streams.size + this.#followers.size + this.questions.size === 0 &&
      this.#standalone === undefined
    );
  }

  started(): void {
    this.#calls++;
  }

  settled(): void {
    this.#calls--;
    this.sessions.release(this);
  }

  /** The standalone stream is the listener of a session. */
  listChanged(): void {}

  updated(): void {}

  openStream(exchange: HttpExchange, listener: DisconnectListener, primed: boolean): ClusterStream {
    const name = `${this.sessions.node}.${this.sessions.nextNumber()}`;
    const stream = new ClusterStream(this, name, () => listener.onDisconnect());
    this.#streams.set(name, stream);
    stream.attach(new Delivery(this, exchange, { stream: name, place: 0 }, (delivery) => stream.lost(delivery)));
    if (primed) stream.prime();
    return stream;
  }

  streamEnded({ name }: ClusterStream, isRead: boolean): void {
    this.#streams.delete(name);
    this.sessions.release(this);
    if (isRead) return;
    // A node may have begun to follow the stream after this one last looked, and read the log before its end.
    this.sessions.store.read(this.id).then(
      (fields) => {
        const follower = fields?.[`f:${name}`];
        if (follower !== undefined) this.sessions.store.publish(`node ${follower}`, `events ${this.id} ${name}`);
      },
      () => {},
    );
  }

  /** Resumes the stream of a request. @throws {HttpError} if the events after the place are not kept. */
  resume(exchange: HttpExchange, last: EventPlace): Promise<void> {
    return this.#while(() => this.#resume(exchange, last));
  }

  async #resume(exchange: HttpExchange, last: EventPlace): Promise<void> {
    const { stream } = last;
    const missed = await this.#missed(last);
    if (missed === undefined) {
      exchange.open(STREAM_HEADERS);
      exchange.end();
      return;
    }
    const writer = this.#streams.get(stream);
    const delivery = new Delivery(this, exchange, last, (ended) => {
      if (writer === undefined) this.#leave(ended);
      else writer.lost(ended);
    });
    delivery.deliver(missed);
    if (!delivery.isOpen) return;
    if (writer !== undefined) return this.#attach(writer, delivery);
    this.#followers.get(stream)?.delivery.release();
    const follower = new Follower(this, delivery);
    this.#followers.set(stream, follower);
    await this.#update(follower, follower.enter());
  }

  /** Opens the standalone stream. @throws {HttpError} if another node or request has it. */
  listen(session: ClusterSession, exchange: HttpExchange, last?: EventPlace): Promise<void> {
    return this.#while(async () => {
      const standalone = await StandaloneStream.take(this, session, last);
      const earlier = this.#standalone;
      this.#standalone = standalone;
      this.#version++;
      await earlier?.stop(standalone.holder);
      await standalone.open(exchange, session.fields, last);
    });
  }

  /** Keeps this object from being forgotten while a stream is being opened. */
  async #while(open: () => Promise<void>): Promise<void> {
    this.started();
    try {
      await open();
    } finally {
      this.settled();
    }
  }

  standaloneEnded(stream: StandaloneStream): void {
    if (this.#standalone === stream) this.#standalone = undefined;
    this.sessions.release(this);
  }

  /** Another node has written events of a stream. */
  eventsWritten(stream: string): void {
    const follower = this.#followers.get(stream);
    if (follower !== undefined) void this.#update(follower, follower.delivery.catchUp());
    else this.#standalone?.addLate(stream);
  }

  /** Compares this node with the record, after a hint. */
  readonly check = coalesce(() => this.#check(false).catch(() => {}));

  /** Called at intervals: renews leases, and finds out whether the session has ended. */
  tick(): void {
    for (const stream of this.#streams.values()) stream.tick();
    for (const follower of this.#followers.values()) void this.#update(follower, follower.enter());
    this.#standalone?.tick();
    // Calls that only wait for an answer do not keep a session: its client could keep it by never answering.
    if (this.#calls > this.questions.calls) this.sessions.extend(this.id);
    this.#check(true).catch(() => {});
  }

  /** The session has ended. */
  drop(): void {
    for (const stream of this.#streams.values()) stream.drop();
    for (const { delivery } of this.#followers.values()) delivery.release();
    this.#streams.clear();
    this.#followers.clear();
    this.questions.clear();
    this.#standalone?.stop("").catch(() => {});
  }

  /** This node stops: the session goes on elsewhere. */
  async leave(): Promise<void> {
    await Promise.allSettled([
      this.#standalone?.stop(),
      ...[...this.#followers.values()].map((follower) => follower.leave()),
      ...[...this.#streams.values()].map((stream) => stream.flush()),
    ]);
  }

  async #check(withTime: boolean): Promise<void> {
    const version = this.#version;
    const entered = [...this.#followers.values()].filter(({ isEntered }) => isEntered);
    const fields = withTime
      ? (await this.sessions.store.change(this.id, this.#standalone?.renewal ?? { stamp: ["t"] })).fields
      : await this.sessions.store.read(this.id);
    if (fields?.v === undefined) {
      this.sessions.drop(this);
      return;
    }
    await this.questions.receiveStored(fields);
    if (version !== this.#version) {
      // The record may have been read before this node changed it.
      void this.check();
      return;
    }
    for (const [name, stream] of this.#streams) {
      const isThere = !withTime || followerIsThere(fields, name, this.sessions.lease);
      stream.follow(isThere ? fields[`f:${name}`] : undefined);
    }
    for (const follower of entered) {
      const { delivery } = follower;
      if (fields[`f:${delivery.stream}`] === this.sessions.node) void this.#update(follower, delivery.catchUp());
      else delivery.release();
    }
    await this.#standalone?.check(fields);
  }

  /** The events after a place; undefined if the stream has ended there. @throws {HttpError} if they are not kept. */
  async #missed({ stream, place }: EventPlace) {
    const missed = place === 0 ? undefined : await this.sessions.store.since(this.id, stream, place);
    if (missed !== undefined && missed.length > 0) return missed;
    const last = missed && (await this.sessions.store.since(this.id, stream, place - 1))?.[0];
    if (last === undefined) {
      throw new HttpError(400, "The events after that Last-Event-ID are no longer kept; send the request again.");
    }
    return last.final ? undefined : [];
  }

  /** A client that comes back to the node that writes the stream needs no follower. */
  async #attach(writer: ClusterStream, delivery: Delivery): Promise<void> {
    const remove = [`f:${writer.name}`, `t:${writer.name}`];
    await this.sessions.store.change(this.id, { remove }).catch(() => {});
    if (!delivery.isOpen) return;
    this.#version++;
    writer.attach(delivery);
    await delivery.catchUp().catch(() => {});
  }

  /** The connection stays open if the store fails; the next tick tries again. */
  async #update(follower: Follower, work: Promise<void>): Promise<void> {
    await work.catch(() => {});
    if (!follower.delivery.isOpen) this.#leave(follower.delivery);
  }

  #leave(delivery: Delivery): void {
    const follower = this.#followers.get(delivery.stream);
    if (follower?.delivery !== delivery) return;
    this.#followers.delete(delivery.stream);
    follower.leave().catch(() => {});
    this.sessions.release(this);
  }
}
