{{- define "floe.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* At most 40 characters, so that suffixes of other objects fit into 63. */}}
{{- define "floe.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "floe.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "floe.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "floe.baseLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | trunc 63 | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "floe.selectorLabels" -}}
app.kubernetes.io/name: {{ include "floe.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: server
{{- end -}}

{{- define "floe.labels" -}}
{{ include "floe.baseLabels" . }}
{{ include "floe.selectorLabels" . }}
{{- end -}}

{{/* Labels of another component: (dict "root" $ "component" "postgresql"). */}}
{{- define "floe.componentLabels" -}}
app.kubernetes.io/name: {{ include "floe.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "floe.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- define "floe.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "floe.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "floe.secretName" -}}
{{- default (include "floe.fullname" .) .Values.secrets.existingSecret -}}
{{- end -}}

{{- define "floe.configMapName" -}}
{{- default (include "floe.fullname" .) .Values.existingConfigMap -}}
{{- end -}}

{{/* "true" if there is or can be more than one process. */}}
{{- define "floe.isFleet" -}}
{{- if or .Values.autoscaling.enabled (gt (int .Values.replicaCount) 1) -}}true{{- end -}}
{{- end -}}

{{/* "true" if the pods have a Secret. SQLite without any secret generates its key on the volume. */}}
{{- define "floe.hasSecret" -}}
{{- $s := .Values.secrets -}}
{{- if or $s.existingSecret $s.secretKey $s.encryptionKeys (ne .Values.database.type "sqlite") (ne .Values.sharedStore.type "memory") -}}true{{- end -}}
{{- end -}}

{{/* Combinations that values.schema.json does not reject with a clear message. */}}
{{- define "floe.validate" -}}
{{- $v := .Values -}}
{{- if include "floe.isFleet" . -}}
  {{- if eq $v.database.type "sqlite" -}}
    {{- fail "More than one process requires PostgreSQL: SQLite serves one process. Set database.type to external or bundled, or replicaCount to 1." -}}
  {{- end -}}
  {{- if eq $v.sharedStore.type "memory" -}}
    {{- fail "More than one process requires Valkey or Redis. Set sharedStore.type to external or bundled, or replicaCount to 1." -}}
  {{- end -}}
{{- end -}}
{{- if not $v.secrets.existingSecret -}}
  {{- if and (ne $v.database.type "sqlite") (not $v.secrets.secretKey) -}}
    {{- fail "PostgreSQL requires a secret key. Set secrets.existingSecret, or secrets.secretKey (generate it with: openssl rand -hex 32)." -}}
  {{- end -}}
  {{- if and (eq $v.database.type "external") (not $v.secrets.databaseUrl) -}}
    {{- fail "database.type external requires secrets.existingSecret or secrets.databaseUrl." -}}
  {{- end -}}
  {{- if and (eq $v.sharedStore.type "external") (not $v.secrets.redisUrl) -}}
    {{- fail "sharedStore.type external requires secrets.existingSecret or secrets.redisUrl." -}}
  {{- end -}}
  {{- if and (eq $v.database.type "bundled") (not $v.secrets.postgresqlPassword) -}}
    {{- fail "database.type bundled requires secrets.existingSecret or secrets.postgresqlPassword." -}}
  {{- end -}}
  {{- if and (eq $v.sharedStore.type "bundled") (not $v.secrets.valkeyPassword) -}}
    {{- fail "sharedStore.type bundled requires secrets.existingSecret or secrets.valkeyPassword." -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* floe.yaml: the values in config, and the listener for metrics. */}}
{{- define "floe.config" -}}
{{- $config := deepCopy .Values.config -}}
{{- $server := $config.server | default dict -}}
{{- $listener := dict "host" .Values.host "port" (int .Values.metrics.port) "surfaces" (list "metrics") -}}
{{- $_ := set $server "listeners" (append ($server.listeners | default list) $listener) -}}
{{- $_ := set $config "server" $server -}}
{{ toYaml $config }}
{{- end -}}

{{- define "floe.secretData" -}}
{{- with .Values.secrets.secretKey }}
secret-key: {{ . | quote }}
{{- end }}
{{- with .Values.secrets.encryptionKeys }}
encryption-keys: {{ . | quote }}
{{- end }}
{{- if eq .Values.database.type "external" }}
database-url: {{ .Values.secrets.databaseUrl | quote }}
{{- else if eq .Values.database.type "bundled" }}
postgresql-password: {{ .Values.secrets.postgresqlPassword | quote }}
{{- end }}
{{- if eq .Values.sharedStore.type "external" }}
redis-url: {{ .Values.secrets.redisUrl | quote }}
{{- else if eq .Values.sharedStore.type "bundled" }}
valkey-password: {{ .Values.secrets.valkeyPassword | quote }}
{{- end }}
{{- end -}}

{{/* Environment of the server and of the migration: (dict "root" $ "secret" name of the Secret). */}}
{{- define "floe.env" -}}
{{- $v := .root.Values -}}
- { name: FLOE_CONFIG, value: /etc/floe/floe.yaml }
- { name: FLOE_DATA_DIR, value: /data }
- { name: FLOE_HOST, value: {{ $v.host | quote }} }
- { name: FLOE_PORT, value: "3563" }
- { name: FLOE_LOG_LEVEL, value: {{ $v.logLevel }} }
- { name: FLOE_SHUTDOWN_DELAY_MS, value: {{ mul $v.shutdown.delaySeconds 1000 | quote }} }
- { name: FLOE_DRAIN_TIMEOUT_MS, value: {{ mul $v.shutdown.drainTimeoutSeconds 1000 | quote }} }
{{- with $v.baseUrl }}
- { name: FLOE_BASE_URL, value: {{ . | quote }} }
{{- end }}
{{- if include "floe.hasSecret" .root }}
- name: FLOE_SECRET_KEY
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: secret-key, optional: {{ eq $v.database.type "sqlite" }} } }
- name: FLOE_ENCRYPTION_KEYS
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: encryption-keys, optional: true } }
{{- end }}
{{- if eq $v.database.type "external" }}
- name: FLOE_DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: database-url } }
{{- else if eq $v.database.type "bundled" }}
- name: POSTGRESQL_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: postgresql-password } }
- name: FLOE_DATABASE_URL
  value: postgres://floe:$(POSTGRESQL_PASSWORD)@{{ include "floe.fullname" .root }}-postgresql:5432/floe
{{- end }}
{{- if eq $v.sharedStore.type "external" }}
- name: FLOE_REDIS_URL
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: redis-url } }
{{- else if eq $v.sharedStore.type "bundled" }}
- name: VALKEY_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: valkey-password } }
- name: FLOE_REDIS_URL
  value: redis://:$(VALKEY_PASSWORD)@{{ include "floe.fullname" .root }}-valkey:6379/0
{{- end }}
{{- with $v.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "floe.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "floe.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}
