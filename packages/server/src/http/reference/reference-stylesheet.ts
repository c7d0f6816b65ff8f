import { createHash } from 'node:crypto';

const CSS = `
:root { color-scheme: light dark; --page: #f6f8fa; --card: #fff; --rule: #e3e7ed; --text: #16202c; --soft: #495665; --link: #1357b8; --code: #eef2f6; --read: #17599f; --write: #117a52; --remove: #b42318; }
@media (prefers-color-scheme: dark) { :root { --page: #0b0f14; --card: #12181f; --rule: #252d37; --text: #eef2f6; --soft: #b3bdc9; --link: #8bb8ff; --code: #1a222b; --read: #8fc1f7; --write: #63dcab; --remove: #ff9a8d; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--page); color: var(--text); font: 400 .9375rem/1.5 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
a { color: var(--link); text-underline-offset: .2em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.page { display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.25rem; border-right: 1px solid var(--rule); font-size: .8125rem; }
nav h2 { margin: 1rem 0 .25rem; font-size: .8125rem; text-transform: capitalize; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav a { text-decoration: none; overflow-wrap: anywhere; }
main { max-width: 60rem; padding: 1.5rem 2rem 4rem; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; }
main h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; text-transform: capitalize; }
h3 { font-size: 1rem; margin: 0; }
h4 { font-size: .8125rem; margin: 1rem 0 .25rem; color: var(--soft); }
article { margin: 0 0 1rem; padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--rule); border-radius: .75rem; }
article > p { margin: .25rem 0; color: var(--soft); }
code, pre { font: .8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.place { margin: .25rem 0; overflow-wrap: anywhere; }
.GET { color: var(--read); } .POST, .PUT, .PATCH { color: var(--write); } .DELETE { color: var(--remove); }
pre { margin: .25rem 0; padding: .75rem; background: var(--code); border-radius: .5rem; overflow: auto; }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .8125rem; }
th, td { padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--rule); }
th { color: var(--soft); font-weight: 500; border-top: 0; }
summary { cursor: pointer; margin-top: .75rem; font-size: .8125rem; color: var(--soft); }
@media (max-width: 52rem) { .page { display: block; } nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--rule); } main { padding: 1rem; } }
`;

/**
 * The only stylesheet of the reference page. It is inline, and the content security policy contains
 * its hash.
 */
export const API_REFERENCE_STYLESHEET = CSS;
const hash = createHash('sha256').update(CSS).digest('base64');
/**
 * The content security policy of the reference page. It allows only the page's stylesheet: no
 * scripts, images, frames, forms or other origins.
 */
export const API_REFERENCE_CONTENT_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
