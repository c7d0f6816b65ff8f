/** The color scheme of the console. `system` follows the browser. */
export type Theme = 'system' | 'light' | 'dark';
/** The height of list rows. */
export type RowDensity = 'compact' | 'comfortable';

/** Saves the theme in the browser. public/theme.js reads it before the first paint. */
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

/** Returns the row density saved in this browser. */
export function getRowDensity(): RowDensity {
  return document.documentElement.dataset['density'] === 'comfortable' ? 'comfortable' : 'compact';
}

/** Saves the row density in this browser and returns it. */
export function setRowDensity(density: RowDensity): RowDensity {
  const { dataset } = document.documentElement;
  if (density === 'comfortable') dataset['density'] = density;
  else delete dataset['density'];
  localStorage.setItem('floe.density', density);
  return density;
}
