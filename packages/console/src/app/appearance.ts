/** The color scheme of the console. `system` follows the browser. */
export type Theme = 'system' | 'light' | 'dark';
/** The height of list rows. */
export type RowDensity = 'compact' | 'comfortable';

/**
 * Applies a theme and saves it in this browser. When a page is opened, public/theme.js applies the saved theme
 * before the first paint.
 */
export function setTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') {
    delete dataset['theme'];
    localStorage.removeItem('floe.theme');
  } else {
    dataset['theme'] = theme;
    localStorage.setItem('floe.theme', theme);
  }
}

/** Returns the row density that is in effect. public/theme.js has read it from this browser’s storage. */
export function getRowDensity(): RowDensity {
  return document.documentElement.dataset['density'] === 'comfortable' ? 'comfortable' : 'compact';
}

/** Applies a row density, saves it in this browser and returns it. */
export function setRowDensity(density: RowDensity): RowDensity {
  const { dataset } = document.documentElement;
  if (density === 'comfortable') dataset['density'] = density;
  else delete dataset['density'];
  localStorage.setItem('floe.density', density);
  return density;
}
