export type {
  CallClient,
  ClusterClient,
  CustomCommandClient,
  RedisClient,
  SendCommandClient,
} from "./nodes/redis/client.ts";
export type { RedisOptions } from "./nodes/redis/options.ts";
export { type RedisCluster, redis } from "./nodes/redis/redis.ts";
export { StoreUnavailable, type UnavailableReason } from "./nodes/unavailable.ts";
