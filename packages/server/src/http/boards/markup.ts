/** HTML that is safe to send. Only `html` creates it, so user input cannot become markup. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value that can be inserted into an `html` template. It is escaped unless it is `Markup`. */
export type HtmlValue = Markup | string | number | null | readonly HtmlValue[];

/** Template tag that escapes values for text and quoted attributes. `Markup` values are not escaped again. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Markup {
  let text = strings[0] ?? '';
  for (const [index, value] of values.entries()) text += renderValue(value) + (strings[index + 1] ?? '');
  return new Markup(text);
}

function renderValue(value: HtmlValue): string {
  if (value === null) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  return value.map(renderValue).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Also removes characters that XML forbids, because badges are XML. */
function escapeHtml(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
}
