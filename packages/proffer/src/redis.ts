export { StoreUnavailable } from "./nodes/ports.ts";
export type {
  CallClient,
  ClusterClient,
  CustomCommandClient,
  RedisClient,
  SendCommandClient,
} from "./nodes/redis/client.ts";
export type { RedisOptions } from "./nodes/redis/redis.ts";
export { type RedisCluster, redis } from "./nodes/redis/redis.ts";
