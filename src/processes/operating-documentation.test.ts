import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';

// What docs/operating.md says of other programs is given to them where they are installed.

const text = readFileSync('docs/operating.md', 'utf8');
const block = (language: string): string => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'u').exec(text)?.[1] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'flotilla-operating-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const isThere = (program: string, word: string): boolean => spawnSync(program, [word]).status === 0;

test('every metric is documented, and no other', () => {
  const sources = readdirSync(join(import.meta.dirname, 'metrics')).filter((name) => !name.endsWith('.test.ts'));
  const named = sources.flatMap((name) => [
    ...readFileSync(join(import.meta.dirname, 'metrics', name), 'utf8').matchAll(/'(flotilla_\w+)'/gu),
  ]);
  const documented = [...text.matchAll(/^\| `(flotilla_\w+)` \|/gmu)].map(([, name]) => name);
  expect(documented.toSorted()).toEqual([...new Set(named.map(([, name]) => name))].toSorted());
  expect(documented.length).toBeGreaterThan(15);
});

test.skipIf(!isThere('nginx', '-v'))('nginx accepts its site', () => {
  const certificates = resolve('test/support/certificates');
  const site = block('nginx')
    .replace(/\/etc\/letsencrypt\S+fullchain\.pem/u, `${certificates}/server.pem`)
    .replace(/\/etc\/letsencrypt\S+privkey\.pem/u, `${certificates}/server.key`)
    .replaceAll(/listen (443|80)/gu, 'listen 127.0.0.1:0$1');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${temporary} ${site} }`);
  const { status, stderr } = spawnSync('nginx', ['-t', '-c', file, '-p', folder, '-e', 'stderr'], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
});

test.skipIf(!isThere('caddy', 'version'))('Caddy accepts its Caddyfile', () => {
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, block('caddyfile'));
  const environment = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const { status, stderr } = spawnSync('caddy', ['validate', '--adapter', 'caddyfile', '--config', file], {
    encoding: 'utf8',
    env: environment,
  });
  expect(status, stderr).toBe(0);
});

test.skipIf(!isThere('systemd-analyze', '--version'))('systemd accepts the unit', () => {
  const file = join(folder, 'flotilla.service');
  writeFileSync(
    file,
    block('ini')
      .replace(/^User=.*$/mu, 'User=root')
      .replace(/^WorkingDirectory=.*$/mu, 'WorkingDirectory=/')
      .replace('/usr/bin/node', process.execPath),
  );
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
});
