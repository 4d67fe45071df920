import react from '@vitejs/plugin-react';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';
import { defineConfig } from 'vite';

/** The server the page talks to while developing; another one is given by FLOTILLA_SERVER. */
const server = process.env['FLOTILLA_SERVER'] ?? `http://127.0.0.1:${process.env['PORT'] ?? 3000}`;

export default defineConfig({
  root: 'src/web',
  plugins: [react(), compressed()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    assetsInlineLimit: 0, // the content policy refuses data: fonts and scripts
    sourcemap: false, // the page is served to everybody; where it comes from is in the repository
    target: 'es2023',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    // The setting that keeps zod from eval lies in the file of zod itself, so that it holds before any schema is made,
    // however the rest is split.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'zod', test: /node_modules\/zod\/|src\/web\/zod-without-eval/u }] } } },
  },
  server: {
    host: '127.0.0.1',
    port: 5173,
    // Calls go to the server; the folder of the same name holds sources, which do not.
    proxy: { '^/api/(?!.*\\.tsx?(\\?|$))': { target: server, changeOrigin: true, headers: { origin: server } } },
  },
});

/** Lays a .br and a .gz beside each script and style of the build, so that the server compresses nothing while it runs. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    writeBundle({ dir = '.' }) {
      const assets = join(dir, 'assets');
      for (const name of readdirSync(assets).filter((file) => /\.(js|css)$/u.test(file))) {
        const content = readFileSync(join(assets, name));
        writeFileSync(join(assets, `${name}.gz`), gzipSync(content, { level: 9 }));
        writeFileSync(join(assets, `${name}.br`), brotliCompressSync(content));
      }
    },
  };
}
