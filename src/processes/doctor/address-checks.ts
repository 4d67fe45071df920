import { secondMs } from '#engine/market/durations.ts';
import type { Config } from '../config.ts';
import { portFault } from '../listening-port.ts';
import type { Finding } from './finding.ts';
import { broken, ok, warning } from './finding.ts';

/** Whether the web process can listen, or does already. */
export async function checkPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<Finding> {
  const fault = await portFault(host, port);
  if (fault === null) return ok('port', `Nothing listens on ${host}:${port}; the page can be served there.`);
  if (!fault.isTaken) return broken('port', `The page cannot be served on ${host}:${port}.`, fault.sentence);
  const name = host === '0.0.0.0' ? '127.0.0.1' : host.includes(':') ? '[::1]' : host;
  if (await isFlotilla(`http://${name}:${port}`)) return ok('port', `Flotilla serves on ${host}:${port}.`);
  return broken('port', `Another program listens on ${host}:${port}.`, 'Stop that program, or set PORT to another one.');
}

async function isFlotilla(address: string): Promise<boolean> {
  try {
    const answer = await fetch(`${address}/api/system/status`, { redirect: 'manual', signal: AbortSignal.timeout(3 * secondMs) });
    if (answer.status === 403) return String(Object.keys((await answer.json()) as object)) === 'detail'; // it wants https
    const state = (await answer.json()) as { status?: unknown; version?: unknown };
    return ['ok', 'degraded'].includes(String(state.status)) && typeof state.version === 'string';
  } catch {
    return false; // whatever answers there is not Flotilla
  }
}

/** Whether PUBLIC_URL, HOST and TRUSTED_PROXIES fit each other. */
export function checkProxy({ publicUrl, isLoopback, isOpen, trustedProxies }: Config): Finding {
  const check = 'reverse proxy';
  if (!isOpen) return ok(check, 'Only people at this machine reach the page; no proxy is needed.');
  const setPublicUrl = 'Put a proxy with TLS in front and set PUBLIC_URL to the https address that people type.';
  if (publicUrl === null)
    return broken(check, 'Other machines reach the page without encryption: passwords can be read on the way.', setPublicUrl);
  if (publicUrl.protocol !== 'https:')
    return broken(check, `PUBLIC_URL ${publicUrl.origin} is not encrypted: passwords can be read on the way.`, setPublicUrl);
  if (trustedProxies.length > 0) return ok(check, `People reach the page at ${publicUrl.origin}, through a trusted proxy.`);
  if (!isLoopback)
    return broken(
      check,
      'PUBLIC_URL is https, but no proxy is trusted: what comes from another machine is refused.',
      "Set TRUSTED_PROXIES to the proxy's address; if the proxy runs on this machine, set HOST=127.0.0.1 as well.",
    );
  return warning(
    check,
    'No proxy is trusted, so all people seem to come from one address, and one who guesses passwords locks out the others.',
    'Set TRUSTED_PROXIES=127.0.0.1 for a proxy on this machine.',
  );
}
