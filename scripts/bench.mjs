// npm run bench: measures what the product promises, and says on which machine.
import { cpus, totalmem } from 'node:os';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root, runNode, say } from './set-up.mjs';

ensureInstalled();
ensureBuilt();
const wanted = process.argv.slice(2);
say(
  `${cpus().length} x ${cpus()[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}\n`,
);
for (const file of [...benchmarksIn('.'), ...benchmarksIn('peers')]) {
  const name = file.slice(0, -3);
  // Those beside other products need a Python that has these (PEERS_PYTHON), so they run by name only.
  if (wanted.length > 0 ? !wanted.includes(name) : name.startsWith('peers/')) continue;
  say(`== ${name}`);
  runNode(['--expose-gc', join('bench', file)]);
}

function benchmarksIn(folder) {
  return readdirSync(join(root, 'bench', folder))
    .filter((name) => name.endsWith('.ts') && name !== 'peers-python.ts')
    .sort()
    .map((name) => join(folder, name));
}
