import type { ReactNode } from 'react';

/** See `SettingRow`. */
export interface SettingRowProps {
  label: string;
  hint: ReactNode; // what the setting does
  children: ReactNode; // its control, which carries the label for those who do not see it
}

/** A setting: what it is called and does to the left, its control to the right; below each other where it is narrow. */
export function SettingRow({ label, hint, children }: SettingRowProps) {
  return (
    <div className="inst-row">
      <div>
        <b aria-hidden>{label}</b>
        <p>{hint}</p>
      </div>
      <div className="inst-control">{children}</div>
    </div>
  );
}
