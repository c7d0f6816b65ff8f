import { createHash } from 'node:crypto';

/** The stylesheet of boards. The content policy allows no other styles, inline or external. */
const CSS = `
:root {
  color-scheme: light dark;
  --page: #f6f8fa; --card: #fff; --rule: #e3e7ed; --text: #16202c; --soft: #495665; --faint: #5f6b7a;
  --link: #1357b8; --focus: #2f6fed;
  --ok: #117a52; --ok-bar: #2aa577; --ok-tint: #eefaf4; --ok-rule: #bfe6d3;
  --bad: #b42318; --bad-bar: #cc2217; --bad-tint: #fff3f0; --bad-rule: #f4c3ba;
  --wait: #7438a8; --wait-tint: #f9f3fe; --wait-rule: #e2cdf3;
  --rest: #526070; --rest-tint: #f1f4f7; --rest-rule: #d3dae3;
  --plan: #17599f; --plan-tint: #eff6fe; --plan-rule: #c1dbf5;
  --blind: #8a6a3c; --none: #c3cad4; --shadow: 0 1px 2px rgb(16 32 48 / .05);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0b0f14; --card: #12181f; --rule: #252d37; --text: #eef2f6; --soft: #b3bdc9; --faint: #93a0af;
    --link: #8bb8ff; --focus: #7fb0ff;
    --ok: #63dcab; --ok-bar: #3fc092; --ok-tint: #0e231b; --ok-rule: #1c4b38;
    --bad: #ff9a8d; --bad-bar: #ea4336; --bad-tint: #2d1414; --bad-rule: #6b2a25;
    --wait: #cfa4f5; --wait-tint: #211530; --wait-rule: #49306a;
    --rest: #a8b4c2; --rest-tint: #1a222b; --rest-rule: #364250;
    --plan: #8fc1f7; --plan-tint: #101f31; --plan-rule: #24496f;
    --blind: #c2a474; --none: #3a4552; --shadow: none;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 400 .9375rem/1.5 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
}
h1, h2, h3, p, ul, ol { margin: 0; padding: 0; }
ul, ol { list-style: none; }
a { color: var(--link); text-underline-offset: .2em; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: .25rem; }
svg { flex: none; }
.wrap { max-width: 51rem; margin: 0 auto; padding: 2rem 1.25rem 3rem; }
.top { display: flex; align-items: center; gap: .75rem; margin-bottom: 1.5rem; }
.top h1 { font-size: 1.1875rem; font-weight: 650; letter-spacing: -.01em; overflow-wrap: anywhere; }
.mark { width: 1.75rem; height: 1.75rem; }
.banner {
  display: grid; grid-template-columns: auto 1fr auto; gap: .125rem 1rem; align-items: center;
  padding: 1.125rem 1.25rem; border: 1px solid; border-radius: .875rem; box-shadow: var(--shadow);
}
.banner > svg { width: 2rem; height: 2rem; grid-row: span 2; }
.banner h2 { font-size: 1.25rem; line-height: 1.35; font-weight: 650; letter-spacing: -.012em; overflow-wrap: anywhere; min-width: 0; }
.banner p { color: var(--soft); grid-column: 2; }
.banner .at { grid-column: 3; grid-row: 1; font-size: .8125rem; white-space: nowrap; color: var(--faint); }
.stale { margin: 0 0 1rem; padding: .625rem 1rem; border: 1px solid var(--blind); border-radius: .625rem; color: var(--text); background: var(--card); }
.healthy { color: var(--ok); } .failing { color: var(--bad); } .waiting { color: var(--wait); }
.paused { color: var(--rest); } .maintenance { color: var(--plan); }
.banner.healthy { background: var(--ok-tint); border-color: var(--ok-rule); }
.banner.failing { background: var(--bad-tint); border-color: var(--bad-rule); }
.banner.waiting { background: var(--wait-tint); border-color: var(--wait-rule); }
.banner.paused { background: var(--rest-tint); border-color: var(--rest-rule); }
.banner.maintenance { background: var(--plan-tint); border-color: var(--plan-rule); }
.banner h2 { color: var(--text); }
.head { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: .125rem 1rem; margin: 2.25rem .25rem .625rem; }
.head h2 { font-size: .9375rem; font-weight: 650; overflow-wrap: anywhere; }
.head p { font-size: .8125rem; color: var(--faint); }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: .875rem; box-shadow: var(--shadow); overflow: hidden; }
.card > * + * { border-top: 1px solid var(--rule); }
.job { padding: 1rem 1.25rem .875rem; }
.long .job { content-visibility: auto; contain-intrinsic-size: auto 7rem; }
.line { display: flex; align-items: center; gap: .5rem; min-height: 1.75rem; }
.line > svg { width: 1.125rem; height: 1.125rem; }
.line h3 { font-size: .9375rem; font-weight: 600; overflow-wrap: anywhere; min-width: 0; }
.line .note { font-size: .8125rem; color: var(--faint); flex: 1 1 auto; }
.pill { display: inline-flex; align-items: center; padding: .0625rem .625rem; border: 1px solid; border-radius: 99rem; font-size: .8125rem; font-weight: 600; white-space: nowrap; gap: .25rem; }
.pill svg { width: .875rem; height: .875rem; margin-left: -.25rem; flex: none; }
.pill.failing { background: var(--bad-tint); border-color: var(--bad-rule); }
.pill.waiting { background: var(--wait-tint); border-color: var(--wait-rule); }
.pill.paused { background: var(--rest-tint); border-color: var(--rest-rule); }
.pill.maintenance { background: var(--plan-tint); border-color: var(--plan-rule); }
.up { font-weight: 600; font-size: .875rem; color: var(--soft); font-variant-numeric: tabular-nums; white-space: nowrap; }
.bars { display: block; width: 100%; height: 2rem; margin: .5rem 0 .3125rem; }
.days { position: relative; }
.days:has(:checked, :focus-visible) { margin-bottom: 1.75rem; }
.days fieldset { position: absolute; inset: 0; display: flex; margin: 0; padding: 0; border: 0; }
.days legend, .days span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.days label { flex: 1; }
.days input { display: block; appearance: none; width: 100%; height: 100%; margin: 0; border-radius: .125rem; cursor: pointer; }
.days input:checked { box-shadow: 0 0 0 1.5px var(--card), 0 0 0 3.5px var(--text); }
.days input:focus-visible { outline-offset: 2px; }
.days label:hover span, .days input:checked + span, .days input:focus-visible + span {
  top: calc(100% + .375rem); left: 0; right: 0; z-index: 1; width: auto; height: auto; overflow: visible; clip-path: none; white-space: normal;
  font-size: .8125rem; line-height: 1.375rem; text-align: center; color: var(--text); background: var(--card); pointer-events: none; font-variant-numeric: tabular-nums;
}
.days fieldset:hover label:not(:hover) span { clip-path: inset(50%); }
.bh, .bn { fill: none; stroke-dasharray: 6 2; }
.bh { stroke: var(--ok-bar); stroke-width: 32; }
.bn { stroke: var(--none); stroke-width: 2; }
.bg { fill: var(--ok-bar); } .bf { fill: var(--bad-bar); }
.bq { fill: var(--none); }
.bp { fill: none; stroke: var(--rest); stroke-width: 1; vector-effect: non-scaling-stroke; }
.hatch { stroke: var(--blind); stroke-width: 1.75; }
.defs { position: absolute; width: 0; height: 0; overflow: hidden; }
.ends { display: grid; grid-template-columns: auto 1fr auto; gap: 0 .75rem; font-size: .75rem; color: var(--faint); line-height: 1.5rem; }
.ends > :last-child { grid-column: 3; }
.since { font-size: .75rem; color: var(--faint); }
details { text-align: center; }
details[open] { grid-column: 1 / -1; grid-row: 2; text-align: left; }
summary { cursor: pointer; display: inline-block; padding: 0 .375rem; color: var(--soft); border-radius: .25rem; }
summary::after { content: " \\25be"; color: var(--faint); }
details[open] summary::after { content: " \\25b4"; }
summary:hover { color: var(--text); text-decoration: underline; text-underline-offset: .2em; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; margin: .375rem 0 .5rem; font-size: .8125rem; font-variant-numeric: tabular-nums; color: var(--soft); }
th, td { padding: .25rem .75rem .25rem 0; text-align: left; font-weight: 400; white-space: nowrap; }
thead th { color: var(--faint); border-bottom: 1px solid var(--rule); }
tbody th { color: var(--text); }
.key { display: flex; flex-wrap: wrap; gap: .375rem 1.25rem; margin: .875rem .25rem 0; font-size: .8125rem; color: var(--faint); }
.key li { display: flex; align-items: center; gap: .4375rem; }
.key svg { width: .5rem; height: 1rem; }
.event { display: grid; grid-template-columns: 7.5rem 1fr auto; gap: 0 1rem; padding: .75rem 1.25rem; font-size: .875rem; }
.event time, .event .past { color: var(--soft); }
.event p { overflow-wrap: anywhere; }
.event .lasted { color: var(--soft); white-space: nowrap; font-variant-numeric: tabular-nums; }
.empty { padding: 1.25rem; color: var(--soft); }
footer { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 2rem .25rem 0; font-size: .8125rem; color: var(--faint); }
footer .push { margin-left: auto; }
@media (max-width: 40rem) {
  .wrap { padding: 1.25rem 1rem 2rem; }
  .banner { grid-template-columns: auto 1fr; padding: 1rem; gap: .125rem .875rem; align-items: start; }
  .banner > svg { grid-row: span 3; margin-top: .125rem; }
  .banner .at { grid-column: 2; grid-row: 3; }
  .job { padding: .875rem 1rem .75rem; }
  .line { flex-wrap: wrap; }
  .line h3 { flex: 1 1 0; min-width: 5.5rem; overflow-wrap: break-word; }
  .line .note { order: 9; flex: 1 0 100%; padding-left: 1.625rem; margin-top: -.25rem; }
  .event { grid-template-columns: 1fr auto; padding: .75rem 1rem; }
  .event time, .event .past { grid-column: 1 / -1; font-size: .8125rem; }
  footer .push { margin-left: 0; }
}
@media print { body { background: #fff; } .card, .banner { break-inside: avoid; box-shadow: none; } }
@media (forced-colors: active) { .bars { forced-color-adjust: none; } }
`;

/** The stylesheet of board pages. */
export const BOARD_STYLESHEET = CSS.trim();
/**
 * The file name of the stylesheet. It contains a hash of the stylesheet, so that browsers may cache
 * the file indefinitely.
 */
export const BOARD_STYLESHEET_NAME = `board-${createHash('sha256').update(BOARD_STYLESHEET).digest('hex').slice(0, 16)}.css`;
