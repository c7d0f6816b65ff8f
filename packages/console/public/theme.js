// Runs before the first paint: the chosen theme must not flash. A file of its own, because the policy of the
// page allows no inline script.
try {
  const theme = localStorage.getItem('floe.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  const density = localStorage.getItem('floe.density');
  if (density === 'comfortable') document.documentElement.dataset.density = density;
} catch {
  // Storage is switched off: the system's theme stands.
}
