// npm run build: the page, bundled, with compressed copies of its files beside them.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { ensureInstalled, root, runNode } from './set-up.mjs';

ensureInstalled();
runNode(['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn']);

const assets = join(root, 'dist', 'web', 'assets');
for (const name of readdirSync(assets)) {
  if (!/\.(js|css|svg|json)$/.test(name) || !statSync(join(assets, name)).isFile()) continue;
  const bytes = readFileSync(join(assets, name));
  writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  writeFileSync(join(assets, `${name}.br`), brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
}
