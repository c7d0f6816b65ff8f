// The Grafana dashboards of deploy/grafana, which `node scripts/generate.mjs` writes. A panel is one line here and thirty
// lines there.
import { DASHBOARD_PANELS } from './dashboard-panels.mjs';

const COLUMNS = 24;
const DATASOURCE = { type: 'prometheus', uid: '$datasource' };
/** Width and height of each type of panel in the grid of Grafana. */
const SIZES = { stat: [4, 4], timeseries: [12, 8], table: [12, 8] };

/** Path and text of each dashboard. */
export function dashboardFiles() {
  return Object.fromEntries(
    Object.entries(DASHBOARD_PANELS).map(([name, dashboard]) => [
      `deploy/grafana/${name}.json`,
      `${JSON.stringify(buildDashboard(name, dashboard), null, 2)}\n`,
    ]),
  );
}

function buildDashboard(name, { title, description, provider = false, panels }) {
  return {
    uid: `floe-${name}`,
    title: `Floe: ${title}`,
    description,
    tags: ['floe'],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: '',
    links: [
      {
        type: 'dashboards',
        title: 'Floe',
        tags: ['floe'],
        asDropdown: true,
        includeVars: true,
        keepTime: true,
      },
    ],
    templating: { list: buildVariables(provider) },
    panels: placePanels(panels),
  };
}

function buildVariables(provider) {
  const query = (name, label, expression) => ({
    name,
    label,
    type: 'query',
    datasource: DATASOURCE,
    query: { query: expression, refId: name },
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: '.+',
    current: { selected: true, text: ['All'], value: ['$__all'] },
  });
  return [
    { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', refresh: 1 },
    query('job', 'Job', 'label_values(floe_build_info, job)'),
    ...(provider
      ? [query('provider', 'Provider', 'label_values(floe_upstream_attempts_total{job=~"$job"}, provider)')]
      : []),
  ];
}

/** Panels from left to right, in rows as high as their highest panel. */
function placePanels(panels) {
  let x = 0;
  let y = 0;
  let rowHeight = 0;
  return panels.map((panel, index) => {
    const [w, h] = SIZES[panel.type];
    if (x + w > COLUMNS || (x > 0 && h !== rowHeight)) {
      y += rowHeight;
      x = 0;
      rowHeight = 0;
    }
    const gridPos = { x, y, w, h };
    x += w;
    rowHeight = Math.max(rowHeight, h);
    return buildPanel(panel, index + 1, gridPos);
  });
}

function buildPanel(panel, id, gridPos) {
  const { type, title, description, unit = 'short', queries, red } = panel;
  return {
    id,
    type,
    title,
    ...(description === undefined ? {} : { description }),
    datasource: DATASOURCE,
    gridPos,
    fieldConfig: {
      defaults: {
        unit,
        ...(type === 'timeseries' ? { min: 0 } : {}),
        ...(red === undefined ? {} : { thresholds: thresholdsOf(red) }),
      },
      overrides: [],
    },
    options: optionsOf(type, red),
    targets: queries.map(([expr, legendFormat], index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: DATASOURCE,
      expr,
      legendFormat,
      ...(type === 'timeseries' ? { range: true } : { instant: true }),
      ...(type === 'table' ? { format: 'table' } : {}),
    })),
  };
}

/** Green below the value and red from it, or the other way round for `{ below }`. */
function thresholdsOf(red) {
  const [below, from, value] = red.below === undefined ? ['green', 'red', red] : ['red', 'green', red.below];
  return {
    mode: 'absolute',
    steps: [
      { color: below, value: null },
      { color: from, value },
    ],
  };
}

function optionsOf(type, red) {
  if (type === 'table') return { showHeader: true };
  if (type === 'timeseries')
    return {
      legend: { displayMode: 'table', placement: 'bottom', calcs: ['mean', 'lastNotNull'] },
      tooltip: { mode: 'multi', sort: 'desc' },
    };
  return {
    colorMode: red === undefined ? 'none' : 'value',
    graphMode: 'none',
    reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
  };
}
