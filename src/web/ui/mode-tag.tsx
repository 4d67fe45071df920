import { IconBolt, IconFlask, IconTestPipe } from '@tabler/icons-react';

const icons = { live: IconBolt, paper: IconFlask, testnet: IconTestPipe } as const;

/** LIVE, PAPER or TESTNET as a small tag, where a band would be too much. */
export function ModeTag({ mode }: { mode: keyof typeof icons }) {
  const Icon = icons[mode];
  return (
    <span className={`fl-tag fl-mode-${mode}`}>
      <Icon size={11} aria-hidden />
      {mode}
    </span>
  );
}
