import type { TaskEngine } from "../features/tasks/engine.ts";
import { type Server, stateOf } from "./server.ts";

/** The task engine of a server; undefined if no tool has the option `task`. */
export function tasksOf(server: Server): Promise<TaskEngine> | undefined {
  return stateOf(server).tasks?.engine;
}
