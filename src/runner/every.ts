/** Does something now and then again and again, one round after the other, until stopped; a round that fails is reported. */
export function every(ms: number, work: () => Promise<void>, onError: (error: unknown) => void): { stop(): Promise<void> } {
  let isStopped = false;
  let timer: NodeJS.Timeout | null = null;
  const run = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      onError(error);
    }
    if (isStopped) return;
    timer = setTimeout(() => {
      round = run();
    }, ms);
  };
  let round = run();
  return {
    async stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      await round;
    },
  };
}
