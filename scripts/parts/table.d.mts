export interface Part {
  readonly for: string;
  readonly files?: readonly string[];
  readonly functionsOf?: readonly string[];
  readonly except?: readonly string[];
}

export const parts: Readonly<Record<string, Part>>;
