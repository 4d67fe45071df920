import type { ReactNode } from 'react';
import { changeAddress } from '../address/address.ts';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';

/** See `NotBuilt`. */
export interface NotBuiltProps {
  icon?: ReactNode;
  text: string; // what is missing
  meanwhile: string; // what serves instead
  link?: { label: string; tab: string };
}

/** Stands where a screen of a later version will be: what is missing, and what to use meanwhile. */
export function NotBuilt({ icon, text, meanwhile, link }: NotBuiltProps) {
  return (
    <div className="fl-panel">
      <EmptyState
        icon={icon}
        text={text}
        hint={meanwhile}
        minHeight={360}
        {...(link === undefined
          ? {}
          : {
              action: (
                <Button variant="secondary" onClick={() => changeAddress({ tab: link.tab === 'status' ? null : link.tab, view: null })}>
                  {link.label}
                </Button>
              ),
            })}
      />
    </div>
  );
}
