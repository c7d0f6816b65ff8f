{{/* Template of the server's pods, shared by the Deployment and the StatefulSet. */}}
{{- define "floe.pod" -}}
metadata:
  labels:
    {{- include "floe.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    {{- if and (include "floe.hasSecret" .) (not .Values.secrets.existingSecret) }}
    checksum/secret: {{ include "floe.secretData" . | sha256sum }}
    {{- end }}
    {{- /* Floe reloads floe.yaml itself, but these sections take effect at the next start. */}}
    checksum/restart: {{ printf "%s %s" (dig "server" (dict) .Values.config | toJson) (dig "storage" (dict) .Values.config | toJson) | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "floe.serviceAccountName" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ add .Values.shutdown.delaySeconds .Values.shutdown.drainTimeoutSeconds 30 }}
  securityContext:
    {{- include "floe.podSecurityContext" . | nindent 4 }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  containers:
    - name: floe
      image: {{ include "floe.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        {{- include "floe.containerSecurityContext" . | nindent 8 }}
      ports:
        - { name: http, containerPort: 3563 }
        - { name: metrics, containerPort: {{ .Values.metrics.port }} }
        {{- range .Values.service.extraPorts }}
        - { name: {{ .name }}, containerPort: {{ .port }} }
        {{- end }}
      env:
        {{- include "floe.env" (dict "root" . "secret" (include "floe.secretName" .)) | nindent 8 }}
      {{- with .Values.extraEnvFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      startupProbe:
        httpGet: { path: /healthz, port: http }
        {{- toYaml .Values.startupProbe | nindent 8 }}
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        {{- toYaml .Values.livenessProbe | nindent 8 }}
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        {{- toYaml .Values.readinessProbe | nindent 8 }}
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: config, mountPath: /etc/floe, readOnly: true }
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: config
      configMap: { name: {{ include "floe.configMapName" . }} }
    {{- if not .Values.persistence.enabled }}
    - name: data
      emptyDir: {}
    {{- else if eq .Values.database.type "sqlite" }}
    - name: data
      persistentVolumeClaim: { claimName: {{ default (printf "%s-data" (include "floe.fullname" .)) .Values.persistence.existingClaim }} }
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- toYaml .Values.topologySpreadConstraints | nindent 4 }}
  {{- else if include "floe.isFleet" . }}
  topologySpreadConstraints:
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - topologyKey: {{ . }}
      maxSkew: 1
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "floe.selectorLabels" $ | nindent 10 }}
    {{- end }}
  {{- end }}
{{- end -}}
