#!/usr/bin/env bash
# deploy.sh: build, push and roll out one of the services.
#
# usage: deploy.sh [-n] [-e ENV] COMMAND SERVICE

set -euo pipefail

REGISTRY="registry.example.org/platform"
KUBE_CONTEXT=""
NAMESPACE=""
ENVIRONMENT="dev"
DRY_RUN=0
LOCK_FILE="/tmp/deploy.lock"

log() {
  printf '%s %s\n' "$(date +%H:%M:%S)" "$*" >&2
}

die() {
  log "error: $*"
  exit 1
}

run() {
  if [ "$DRY_RUN" -eq 1 ]; then
    log "would run: $*"
    return 0
  fi
  "$@"
}

usage() {
  cat <<'EOF'
usage: deploy.sh [-n] [-e ENV] COMMAND SERVICE

commands:
  build     build the image
  push      push the image
  rollout   roll the image out
  rollback  go back to the previous image
  logs      follow the logs

services: api, web, worker
EOF
}

pick_context() {
  case "$ENVIRONMENT" in
    dev)
      KUBE_CONTEXT="kind-dev"
      NAMESPACE="dev"
      ;;
    staging)
      KUBE_CONTEXT="eu-staging"
      NAMESPACE="staging"
      ;;
    production)
      KUBE_CONTEXT="eu-production"
      NAMESPACE="production"
      ;;
    *)
      die "unknown environment: $ENVIRONMENT"
      ;;
  esac
}

pick_replicas() {
  case "$ENVIRONMENT" in
    dev)
      echo 1
      ;;
    staging)
      echo 2
      ;;
    production)
      echo 6
      ;;
    *)
      die "unknown environment: $ENVIRONMENT"
      ;;
  esac
}

dockerfile_of() {
  case "$1" in
    api) echo "docker/api.Dockerfile" ;;
    web) echo "docker/web.Dockerfile" ;;
    worker) echo "docker/worker.Dockerfile" ;;
    cron) echo "docker/cron.Dockerfile" ;;
    *) die "unknown service: $1" ;;
  esac
}

port_of() {
  case "$1" in
    api) echo 8000 ;;
    web) echo 3000 ;;
    worker) echo 0 ;;
    cron) echo 0 ;;
    *) die "unknown service: $1" ;;
  esac
}

image_of() {
  local revision
  revision="$(git rev-parse --short HEAD)"
  echo "$REGISTRY/$1:$revision"
}

take_lock() {
  if ! mkdir "$LOCK_FILE" 2>/dev/null; then
    die "another deployment is running"
  fi
  trap 'rmdir "$LOCK_FILE"' EXIT
}

cmd_build() {
  local service="$1"
  local image
  image="$(image_of "$service")"
  log "building $image"
  run docker build -f "$(dockerfile_of "$service")" -t "$image" .
}

cmd_push() {
  local service="$1"
  local image
  image="$(image_of "$service")"
  log "pushing $image"
  run docker push "$image"
}

cmd_rollout() {
  local service="$1"
  local image
  image="$(image_of "$service")"
  take_lock
  log "rolling out $image to $ENVIRONMENT"
  run kubectl --context "$KUBE_CONTEXT" -n "$NAMESPACE" set image "deployment/$service" "app=$image"
  run kubectl --context "$KUBE_CONTEXT" -n "$NAMESPACE" scale "deployment/$service" --replicas "$(pick_replicas)"
  run kubectl --context "$KUBE_CONTEXT" -n "$NAMESPACE" rollout status "deployment/$service"
}

cmd_rollback() {
  local service="$1"
  take_lock
  log "rolling back $service in $ENVIRONMENT"
  run kubectl --context "$KUBE_CONTEXT" -n "$NAMESPACE" rollout undo "deployment/$service"
  run kubectl --context "$KUBE_CONTEXT" -n "$NAMESPACE" rollout status "deployment/$service"
}

cmd_logs() {
  local service="$1"
  run kubectl --context "$KUBE_CONTEXT" -n "$NAMESPACE" logs -f "deployment/$service"
}

main() {
  while getopts "ne:h" option; do
    case "$option" in
      n) DRY_RUN=1 ;;
      e) ENVIRONMENT="$OPTARG" ;;
      h)
        usage
        exit 0
        ;;
      *)
        usage
        exit 2
        ;;
    esac
  done
  shift $((OPTIND - 1))
  [ $# -eq 2 ] || { usage; exit 2; }
  pick_context
  case "$1" in
    build) cmd_build "$2" ;;
    push) cmd_push "$2" ;;
    rollout) cmd_rollout "$2" ;;
    rollback) cmd_rollback "$2" ;;
    logs) cmd_logs "$2" ;;
    *)
      usage
      exit 2
      ;;
  esac
}

main "$@"
