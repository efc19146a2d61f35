terraform {
  required_version = ">= 1.6"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.40"
    }
  }
}

variable "environment" {
  type = string
}

locals {
  tags = {
    Project     = "atlas"
    Environment = var.environment
  }
}

resource "aws_s3_bucket" "uploads" {
  bucket = "atlas-${var.environment}-uploads"
  tags   = local.tags
}

resource "aws_s3_bucket_versioning" "uploads" {
  bucket = aws_s3_bucket.uploads.id
  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket" "exports" {
  bucket = "atlas-${var.environment}-exports"
  tags   = local.tags
}

resource "aws_s3_bucket_lifecycle_configuration" "exports" {
  bucket = aws_s3_bucket.exports.id

  rule {
    id     = "expire"
    status = "Enabled"

    expiration {
      days = 30
    }
  }

  rule {
    id     = "failed"
    status = "Enabled"

    filter {
      prefix = "failed/"
    }

    expiration {
      days = 90
    }
  }
}

resource "aws_sqs_queue" "resize" {
  name                       = "atlas-${var.environment}-resize"
  visibility_timeout_seconds = 60
  message_retention_seconds  = 345600
  tags                       = local.tags
}

resource "aws_sqs_queue" "export" {
  name                       = "atlas-${var.environment}-export"
  visibility_timeout_seconds = 300
  message_retention_seconds  = 345600
  tags                       = local.tags
}

output "queue_urls" {
  value = {
    resize = aws_sqs_queue.resize.url
    export = aws_sqs_queue.export.url
  }
}
