import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, type ContextManager, context, ROOT_CONTEXT } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";

/** An OpenTelemetry SDK that keeps everything in memory. */
export interface Sdk {
  /** The providers, as options of `telemetry`. */
  readonly options: { readonly tracerProvider: BasicTracerProvider; readonly meterProvider: MeterProvider };
  /** The finished spans, oldest first. */
  spans(): ReadableSpan[];
  /** The data points of a metric. */
  points(name: string): Promise<Point[]>;
}

interface Point {
  readonly attributes: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: a number, or a histogram
  readonly value: any;
}

export function startSdk(sampler?: Sampler): Sdk {
  const spanExporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(spanExporter)],
    ...(sampler && { sampler }),
  });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 2 ** 30 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  return {
    options: { tracerProvider, meterProvider },
    spans: () => spanExporter.getFinishedSpans(),
    async points(name) {
      metricExporter.reset();
      await reader.forceFlush();
      const all = metricExporter
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((each) => each.metrics));
      return all
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(({ dataPoints }) => dataPoints as Point[]);
    },
  };
}

/** Keeps the context over promises, as the SDK for Node does. */
class AsyncContextManager implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }

  with<Values extends unknown[], Work extends (...values: Values) => ReturnType<Work>>(
    active: Context,
    work: Work,
    self?: ThisParameterType<Work>,
    ...values: Values
  ): ReturnType<Work> {
    return this.#storage.run(active, () => work.apply(self, values));
  }

  bind<Target>(_context: Context, target: Target): Target {
    return target;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    this.#storage.disable();
    return this;
  }
}

/** Sets the global context manager; returns a function that removes it, because test files share a process. */
export function useContexts(): () => void {
  context.setGlobalContextManager(new AsyncContextManager());
  return () => context.disable();
}
