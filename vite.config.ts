import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The server the page talks to while developing; another one is given by FLOTILLA_SERVER. */
const server = process.env['FLOTILLA_SERVER'] ?? 'http://127.0.0.1:3000';

export default defineConfig({
  root: 'src/web',
  plugins: [react()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    assetsInlineLimit: 0, // the content policy refuses data: fonts and scripts
    target: 'es2023',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
  },
  server: {
    host: '127.0.0.1',
    port: 5173,
    proxy: { '/api': { target: server, changeOrigin: true, headers: { origin: server } } },
  },
});
