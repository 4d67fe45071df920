// oxlint-disable-next-line import/default -- the address of the file, as the bundler names it
import workerAddress from './what-if-worker.ts?worker&url';

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(address: string): string }): { createScriptURL(address: string): string };
}

/** Starts the worker. The content policy asks for a trusted address: it is that of the file of the worker, and no other. */
export function startWorker(): Worker {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy('flotilla-what-if-worker', {
    createScriptURL(address) {
      if (address !== workerAddress) throw new TypeError('Only the worker of replays is started here');
      return address;
    },
  });
  return new Worker(policy?.createScriptURL(workerAddress) ?? workerAddress, { type: 'module' });
}

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined;
