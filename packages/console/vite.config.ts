import { join } from 'node:path';
import tailwind from '@tailwindcss/vite';
import { defineConfig } from 'vite';

const here = (path: string) => join(import.meta.dirname, path);

/** Relative addresses everywhere: the server says in `<base href>` where the console lies. */
// biome-ignore lint/style/noDefaultExport: Vite reads the default export.
export default defineConfig({
  root: here('.'),
  base: './',
  plugins: [tailwind()],
  resolve: {
    alias: {
      // Writes a style element, which our content security policy forbids; ours sets an attribute.
      'react-remove-scroll': here('./src/ui/scroll-lock.tsx'),
    },
  },
  build: {
    outDir: here('./dist'),
    emptyOutDir: true,
    assetsDir: 'assets',
    // light-dark() as it stands: Chrome 123, Firefox 120, Safari 17.5.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    manifest: 'manifest.json',
    // What every page starts with is one file: each of a dozen costs a phone milliseconds before anything is drawn.
    // So are the filters, which every list needs.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'shell', tags: ['$initial'], priority: 1 },
            { name: 'filters', test: /\/console\/src\/filters\// },
          ],
        },
      },
    },
  },
});
