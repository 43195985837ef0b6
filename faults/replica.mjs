import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Engine } from "./engine.mjs";
import { CuttingProxy } from "./proxy.mjs";

/** A Redis with a replica that is always behind, and takes its place when it is killed. */
export class ReplicatedEngine {
  #folder;
  #lag;
  #primary;
  #replica;
  /** The link from the replica to its primary. */
  #link;

  /** @param lag - the milliseconds by which the replica is behind */
  static async start(folder, lag) {
    const pair = new ReplicatedEngine();
    pair.#folder = folder;
    pair.#lag = lag;
    pair.#primary = await Engine.start(mkdtempSync(join(folder, "redis-")));
    await pair.#addReplica();
    return pair;
  }

  get port() {
    return this.#primary.port;
  }

  /** Kills the primary and promotes its replica, which never gets the last writes; another replica follows it. */
  async failOver(proxy) {
    await this.#primary.kill();
    this.#link.close();
    await this.#replica.command("REPLICAOF", "NO", "ONE");
    this.#primary = this.#replica;
    proxy.retarget(this.port);
    await this.#addReplica();
  }

  async kill() {
    this.#link?.close();
    await Promise.all([this.#primary?.kill(), this.#replica?.kill()]);
  }

  async #addReplica() {
    this.#link = await CuttingProxy.start(this.port, this.#lag);
    const folder = mkdtempSync(join(this.#folder, "redis-"));
    this.#replica = await Engine.start(folder, { primary: this.#link.port });
    while (!(await this.#replica.command("INFO", "replication")).includes("master_link_status:up")) await sleep(20);
  }
}
