import type { BoardDisplayStatus } from './board-headline.ts';
import { html, type Markup } from './markup.ts';

/** The SVG shapes that a page uses repeatedly, and the hatch pattern for unknown times. */
export const SVG_DEFINITIONS = html`<svg class="defs" aria-hidden="true" focusable="false"><defs>
<pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse"><path class="hatch" d="M-1 5 5-1M-1 1 1-1M3 5 5 3"/></pattern>
<g id="s-healthy"><circle cx="10" cy="10" r="8"/><path d="m6.5 10.2 2.4 2.4 4.6-4.9"/></g>
<g id="s-failing"><path d="M6.7 2h6.6L18 6.7v6.6L13.3 18H6.7L2 13.3V6.7z"/><path d="m7.4 7.4 5.2 5.2m0-5.2-5.2 5.2"/></g>
<g id="s-waiting"><path d="M5 2h10M5 18h10M6.2 2v3.2L10 10l3.8-4.8V2M6.2 18v-3.2L10 10l3.8 4.8V18"/></g>
<g id="s-paused"><circle cx="10" cy="10" r="8"/><path d="M8 7v6m4-6v6"/></g>
<g id="s-maintenance"><path d="M12.4 5.3a.8.8 0 0 0 0 1.2l1.2 1.2a.8.8 0 0 0 1.2 0l3-3a5 5 0 0 1-6.6 6.6l-5.5 5.5a1.7 1.7 0 0 1-2.5-2.5l5.5-5.5a5 5 0 0 1 6.6-6.6z"/></g>
</defs></svg>`;

/**
 * Renders the icon of a status. The shapes differ, so that statuses can be told apart without
 * color.
 */
export function renderStatusIcon(status: BoardDisplayStatus, label: Markup | null = null): Markup {
  const role = label ? html` role="img"` : html` aria-hidden="true"`;
  return html`<svg class="${status}" viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"${role}>${label}<use href="#s-${status}"/></svg>`;
}

/** Renders the logo of Floe as inline SVG. */
export function renderLogo(): Markup {
  return html`<svg class="mark" viewBox="0 0 28 28" aria-hidden="true"><rect width="28" height="28" rx="7" fill="#1568c6"/><path d="M14 5.5 21.5 10v8L14 22.5 6.5 18v-8z" fill="none" stroke="#fff" stroke-width="1.7" stroke-linejoin="round"/><path d="m6.5 10 7.5 4.3L21.5 10M14 14.3v8.2" fill="none" stroke="#fff" stroke-opacity=".75" stroke-width="1.5" stroke-linejoin="round"/></svg>`;
}

/** The logo as a standalone SVG file, for the favicon. */
export const FAVICON_SVG = renderLogo().text.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ');
