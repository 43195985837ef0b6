// The attackers, in a process of their own so that they do not slow down the honest clients: node main.mjs <options>
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../random.mjs";
import { Tally } from "../tally.mjs";
import { Arena, isMistake } from "./arena.mjs";
import { lanesOf } from "./kinds.mjs";

/** The longest pause between two attacks of a lane, in milliseconds. */
const PAUSE = 200;

const { port, folder, seed, only } = JSON.parse(process.argv[2]);
const random = new Random(seed);
const tally = new Tally();
const attacks = {};
const stop = new AbortController();
process.once("message", () => stop.abort());
process.once("disconnect", () => process.exit(0));
// Ctrl-C reaches all processes of a terminal; the parent ends the attacks.
process.on("SIGINT", () => {});

await Promise.all(lanesOf(only).map((lane) => runLane(lane, random.fork())));
const { foreign, wrongAnswers, orphans, failures } = tally;
process.send({ attacks, foreign, wrongAnswers, orphans, failures }, () => process.exit(0));

async function runLane(lane, own) {
  const arena = new Arena({ port, folder, tally, random: own, signal: stop.signal });
  for (let turn = own.below(lane.length); !stop.signal.aborted; turn++) {
    const [name, count, attack] = lane[turn % lane.length];
    try {
      await attack(arena);
    } catch (error) {
      // The server may close any connection of an attacker.
      if (isMistake(error)) tally.wrong(`${name}: ${error.stack}`);
    }
    attacks[name] = (attacks[name] ?? 0) + count;
    await sleep(own.below(PAUSE));
  }
}
