import { isOurs } from "../contenders.mjs";

/** The panels of the picture, each with bars for Proffer and for the best variant of each peer. */
const PANELS = [
  { transport: "http", case: "echo", title: "echo call, HTTP" },
  { transport: "stdio", case: "echo", title: "echo call, stdio" },
  { transport: "http", case: "nested50", title: "50 nested objects, HTTP" },
  { transport: "stdio", case: "nested50", title: "50 nested objects, stdio" },
  { transport: "http", case: "template500", title: "1 of 500 templates, HTTP" },
  { transport: "stdio", case: "template500", title: "1 of 500 templates, stdio" },
  { transport: "http", case: "10k resources", title: "list of 10,000, HTTP" },
  { transport: "stdio", case: "10k resources", title: "list of 10,000, stdio" },
];

const WIDTH = 800;
const PANEL = { width: 390, gap: 20, top: 66, head: 26, bar: 16, step: 22 };
const LABEL = 74;
const VALUE = 46;

const STYLE = `
  text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #24292f; }
  .title { font-size: 15px; font-weight: 600; }
  .panel { font-weight: 600; }
  .note { fill: #57606a; }
  .peer { fill: #8c959f; }
  .ours { fill: #1a7f37; }
  .raw { stroke: #57606a; stroke-dasharray: 3 3; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .note { fill: #9198a1; }
    .peer { fill: #6e7681; }
    .ours { fill: #3fb950; }
    .raw { stroke: #9198a1; }
  }`;

/** Draws server CPU per request as a ratio to raw, as an SVG for light and dark pages. */
export function drawChart(results) {
  const panels = PANELS.map((panel) => ({ ...panel, bars: barsOf(panel, results) })).filter(
    ({ bars }) => bars.length > 0,
  );
  const most = Math.max(0, ...panels.map(({ bars }) => bars.length));
  const height = PANEL.head + most * PANEL.step + PANEL.gap;
  const total = PANEL.top + Math.ceil(panels.length / 2) * height;
  const drawn = panels.map((panel, i) => {
    const x = (i % 2) * (PANEL.width + PANEL.gap);
    const y = PANEL.top + Math.floor(i / 2) * height;
    return drawPanel(panel, x, y);
  });
  const title = "Server CPU per request, relative to a raw Node server in the same run";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${total}" role="img" aria-label="${title}">
<style>${STYLE}
</style>
<text class="title" x="0" y="20">${title}</text>
<text class="note" x="0" y="40">Shorter is better. The dashed line is the raw server: parse, dispatch, serialise, no checks.</text>
${drawn.join("\n")}
</svg>
`;
}

function barsOf({ transport, case: which }, results) {
  const best = new Map();
  for (const row of results[transport] ?? []) {
    if (row.case !== which || row.inFlight === 1 || row.name.startsWith("raw")) continue;
    const family = row.name.replace(/ (session|modern|express|hono)$/, "");
    if (!(best.get(family) <= row.ratio)) best.set(family, row.ratio);
  }
  return [...best].map(([name, ratio]) => ({ name, ratio })).sort((one, other) => one.ratio - other.ratio);
}

function drawPanel({ title, bars }, x, y) {
  const room = PANEL.width - LABEL - VALUE;
  const scale = room / Math.max(1, ...bars.map(({ ratio }) => ratio));
  const rows = bars.map((bar, i) => drawBar(bar, scale, PANEL.head + i * PANEL.step));
  const line = LABEL + scale;
  const bottom = PANEL.head + bars.length * PANEL.step;
  return `<g transform="translate(${x} ${y})">
<text class="panel" x="0" y="14">${title}</text>
${rows.join("\n")}
<line class="raw" x1="${line.toFixed(1)}" x2="${line.toFixed(1)}" y1="${PANEL.head - 4}" y2="${bottom}"/>
</g>`;
}

function drawBar({ name, ratio }, scale, y) {
  const width = Math.max(1, ratio * scale);
  const baseline = y + PANEL.bar - 4;
  return `<text x="0" y="${baseline}">${name}</text>
<rect class="${isOurs({ name }) ? "ours" : "peer"}" x="${LABEL}" y="${y}" width="${width.toFixed(1)}" height="${PANEL.bar}" rx="2"/>
<text x="${(LABEL + width + 6).toFixed(1)}" y="${baseline}">${ratio.toFixed(ratio < 10 ? 2 : 1)}</text>`;
}
